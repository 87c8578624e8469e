/**
 * Reads the configuration again while the gateway runs. It is read and checked whole before anything changes: a file that
 * is wrong changes nothing. What only a restart can read is said. docs/decisions/0048.
 */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { type Config, ConfigError } from '#config/config.ts';
import { type Listing, marketTerms } from '#market/listing.ts';
import type { PodConfig } from '#pods/pod.ts';
import { type ConfigDifference, differenceOf } from './config-difference.ts';
import type { LiveConfig } from './live-config.ts';

/** What came of a reload that a signal asked for, as the audit log has it and `cli/reload.ts` shows it. */
export type ReloadNote =
  | { readonly changed: readonly string[]; readonly needs_restart: readonly string[] }
  /** The place of the fault and not its sentence, which may repeat a secret that was written in the wrong place. */
  | { readonly refused: string };

/** What it changes. */
export interface ReloadOptions {
  readonly live: LiveConfig;
  /** The configuration as the file has it now. Throws ConfigError. */
  readonly read: () => Config;
  readonly setLogLevel: (level: Config['logLevel']) => void;
  readonly pods: { renew(configs: readonly PodConfig[]): void };
  /** Counts requests by the limits. */
  readonly rates: { renew(): void };
  /** Opens the markets of listings that are new, all or none; null where only a start can. */
  readonly open: ((listings: readonly Listing[]) => Promise<void>) | null;
  /** Tells the exchange of other terms of a market. */
  readonly renew: (listing: Listing) => void;
  /** Called when another configuration is in force. */
  readonly taken: () => Promise<void>;
  readonly log: Log;
}

/** Takes another configuration; one object a gateway. */
export class Reload {
  readonly #options: ReloadOptions;
  /** One at a time, in the order asked. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /**
   * Takes what may change while the gateway runs, all of it or nothing. `noted` is called before that with what will
   * change, and when it rejects, nothing does. Throws Fault invalid_request with the sentence about a wrong line.
   */
  reload(noted: (difference: ConfigDifference) => Promise<void>): Promise<ConfigDifference> {
    const turn = this.#turn.then(async () => {
      const difference = this.#difference();
      await noted(difference);
      const { live, open } = this.#options;
      await open?.(difference.next.listings.all.filter(({ id }) => live.inForce.listings.find(id)?.id !== id));
      this.#take(difference);
      return difference;
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #difference(): ConfigDifference {
    const { live, read, open } = this.#options;
    try {
      return differenceOf(live.inForce, read(), open !== null);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new Fault('invalid_request', { message: error.message });
    }
  }

  /** The same for a signal, which nobody waits for: `note` gets what came of it. Rejects as `reload`. */
  async bySignal(note: (outcome: ReloadNote) => Promise<void>): Promise<void> {
    try {
      await this.reload(({ changed, needsRestart }) =>
        note({ changed: namesOf(changed), needs_restart: namesOf(needsRestart) }),
      );
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid_request')
        await note({ refused: /^\S+?:\d+/.exec(error.message)?.[0] ?? 'The configuration' });
      throw error;
    }
  }

  #take({ next, changed, needsRestart }: ConfigDifference): void {
    const { live, pods, rates, renew, taken, log, setLogLevel } = this.#options;
    const fields = { changed: namesOf(changed), needs_restart: namesOf(needsRestart) };
    const before = live.inForce.listings;
    for (const listing of next.listings.all) {
      const old = before.find(listing.id);
      if (old?.id === listing.id && !isDeepStrictEqual(marketTerms(old), marketTerms(listing))) renew(listing);
    }
    live.take(next);
    setLogLevel(next.logLevel);
    pods.renew(next.pods);
    rates.renew();
    taken().catch((error: unknown) => log.warn({ err: error }, 'The other gateways were not told what is sold now.'));
    log.info(fields, 'The configuration was read again.');
    if (needsRestart.length > 0) log.warn(fields, 'Some of the configuration needs a restart and was not taken.');
  }
}

function namesOf(changes: ConfigDifference['changed']): string[] {
  return changes.map(({ setting }) => setting);
}
