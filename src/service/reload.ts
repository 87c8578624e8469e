/**
 * Reads the configuration again while the gateway runs. It is read and checked whole before anything changes: a file
 * that is wrong changes nothing. The answer names the settings that need a restart. docs/decisions/0048.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LimitSettings } from '#access/limits.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { type Config, ConfigError } from '#config/config.ts';
import { type Listing, Listings, marketTerms } from '#market/listing.ts';
import { type AddedPod, usedBeside } from '#operator/added-pods.ts';
import type { Difference, SettingChange } from '#operator/configuration-handlers.ts';
import type { PodConfig } from '#pods/pod.ts';
import { type ShownSettings, shownSettings } from './configuration.ts';

/** The outcome of a reload that a signal asked for, as the audit log has it and `cli/reload.ts` shows it. */
export type ReloadNote =
  | ReloadNames
  /** The place of the fault and not its sentence, which may repeat a secret that was written in the wrong place. */
  | { readonly refused: string };

/** Settings by name; models and pods that are new or gone are among `added` and `removed`, each as one. */
interface ReloadNames {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly needs_restart: readonly string[];
}

/** What it changes. */
export interface ReloadOptions {
  readonly live: LiveConfig;
  /** The configuration as the file has it now. Throws ConfigError. */
  readonly read: () => Config;
  readonly setLogLevel: (level: Config['logLevel']) => void;
  readonly pods: { renew(configs: readonly PodConfig[]): void };
  /** The added pods that are stored now. */
  readonly added: () => Promise<readonly AddedPod[]>;
  /** Counts requests by the limits. */
  readonly rates: { renew(): void };
  /** Opens the markets of listings that are new, all or none. */
  readonly open: (listings: readonly Listing[]) => Promise<void>;
  /** Gives the exchange other terms of a market: `service/market.ts` sends them, `market/exchange/market-prices.ts` takes them. */
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
    return this.#inTurn(async () => {
      const difference = this.#difference();
      await noted(difference);
      const { live, open } = this.#options;
      await open(difference.next.listings.all.filter(({ id }) => live.inForce.listings.find(id)?.id !== id));
      this.#take(difference);
      return difference;
    });
  }

  /** Takes the added pods that are stored now. Rejects, and changes nothing, when they cannot be read. */
  renewAdded(): Promise<void> {
    return this.#inTurn(async () => {
      const { live, pods, added } = this.#options;
      if (live.takeAdded(await added())) pods.renew(live.config.pods);
    });
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #difference(): ConfigDifference {
    const { live, read } = this.#options;
    try {
      return differenceOf(live.inForce, read());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new Fault('invalid_request', { message: error.message });
    }
  }

  /** The same for a signal, which nobody waits for: `note` gets the outcome. Rejects as `reload`. */
  async bySignal(note: (outcome: ReloadNote) => Promise<void>): Promise<void> {
    try {
      await this.reload((difference) => note(namesOf(difference)));
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid_request')
        await note({ refused: /^\S+?:\d+/.exec(error.message)?.[0] ?? 'The configuration' });
      throw error;
    }
  }

  #take(difference: ConfigDifference): void {
    const { next, needsRestart } = difference;
    const { live, pods, rates, renew, taken, log, setLogLevel } = this.#options;
    const fields = namesOf(difference);
    const before = live.inForce.listings;
    for (const listing of next.listings.all) {
      const old = before.find(listing.id);
      if (old?.id === listing.id && !isDeepStrictEqual(marketTerms(old), marketTerms(listing))) renew(listing);
    }
    live.take(next);
    setLogLevel(next.logLevel);
    pods.renew(live.config.pods);
    rates.renew();
    taken().catch((error: unknown) =>
      log.warn({ err: error }, 'The other gateways were not notified of what is sold now.'),
    );
    log.info(fields, 'The configuration was read again.');
    if (needsRestart.length > 0) log.warn(fields, 'Some changed settings need a restart and were not applied.');
  }
}

function namesOf({ changed, needsRestart }: Difference): ReloadNames {
  const isWhole = ({ setting }: SettingChange) => WHOLE.exec(setting)?.[0] === setting;
  const isAdded = (change: SettingChange) => isWhole(change) && change.before === null;
  const isRemoved = (change: SettingChange) => isWhole(change) && change.after === null;
  const names = (changes: readonly SettingChange[]) => changes.map(({ setting }) => setting);
  return {
    added: names(changed.filter(isAdded)),
    removed: names(changed.filter(isRemoved)),
    changed: names(changed.filter((change) => !isAdded(change) && !isRemoved(change))),
    needs_restart: names(needsRestart),
  };
}

/** The name of a model or a pod, at the start of those of its settings. */
const WHOLE = /^(models|pods)\[[^\]]*\]/;

/** What a file would change in a running gateway. */
interface ConfigDifference extends Difference {
  /** The configuration in force if it were taken: that of the file, but for what needs a restart. */
  readonly next: Config;
}

/** Compares the configuration in force with that of the file. */
export function differenceOf(inForce: Config, file: Config): ConfigDifference {
  const next = taken(inForce, file);
  return { next, changed: changesBetween(inForce, next), needsRestart: changesBetween(next, file) };
}

/** The settings that a running gateway takes from the file; the others stay as they are. */
function taken(inForce: Config, file: Config): Config {
  const sold = file.listings.all.map((listing) => {
    const before = inForce.listings.find(listing.id);
    return before?.id === listing.id ? takenListing(before, listing) : listing;
  });
  const kept = inForce.listings.all.filter(({ id }) => !sold.some((listing) => listing.id === id));
  const listings = unambiguous([...sold, ...kept]);
  const wanted = file.listings.default.id;
  const names = new Set(listings.map(({ id }) => id));
  const pods = file.pods.filter(({ model }) => names.has(model));
  const podIds = new Set(pods.map(({ id }) => id));
  return {
    ...inForce,
    listings: new Listings(listings, names.has(wanted) ? wanted : inForce.listings.default.id),
    pods: [
      ...pods,
      ...inForce.pods.filter(({ id, model }) => kept.some((listing) => listing.id === model) && !podIds.has(id)),
    ],
    catalogs: new Map([...inForce.catalogs, ...[...file.catalogs].filter(([id]) => names.has(id))]),
    limits: file.limits,
    logLevel: file.logLevel,
  };
}

/** A market stays a market, where orders may wait, and stays of its type. */
function takenListing(before: Listing, file: Listing): Listing {
  if (before.type !== file.type) return before;
  return { ...file, preview: before.preview && file.preview };
}

/** Without the aliases that another listing has as well: the file gives a name away whose listing is still sold. */
function unambiguous(listings: readonly Listing[]): Listing[] {
  const taken = new Set(listings.map(({ id }) => id));
  return listings.map((listing) => {
    const aliases = listing.aliases.filter((alias) => !taken.has(alias));
    for (const alias of aliases) taken.add(alias);
    return aliases.length === listing.aliases.length ? listing : { ...listing, aliases };
  });
}

function changesBetween(before: Config, after: Config): SettingChange[] {
  const [old, now] = [shownSettings(before), shownSettings(after)];
  const changes = new Map<string, SettingChange>();
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(name)?.compared === now.get(name)?.compared) continue;
    const { setting, shownBy } = wholeOf(name, old, now);
    const [was, is] = [old.get(shownBy)?.value ?? null, now.get(shownBy)?.value ?? null];
    changes.set(setting, { setting, before: was, after: is });
  }
  return [...changes.values()];
}

/** A model or a pod that is new or gone is one change, not one for each of its settings. */
function wholeOf(name: string, ...sides: readonly ShownSettings[]): { setting: string; shownBy: string } {
  const [whole = name, kind] = WHOLE.exec(name) ?? [];
  const shownBy = `${whole}.${kind === 'pods' ? 'of model' : 'type'}`;
  const isWhole = kind !== undefined && sides.some((side) => !side.has(shownBy));
  return isWhole ? { setting: whole, shownBy } : { setting: name, shownBy: name };
}

/**
 * The configuration as the parts of a gateway see it. Listings, facts of the catalog and limits are read again by the code
 * that uses them, so that another file can change them while the gateway runs; all else is as it was at the start.
 */
export class LiveConfig {
  /** For the parts; its listings, pods, catalogs and limits are always those in force. */
  readonly config: Config;
  readonly #log: Log;
  readonly #limits: { -readonly [Name in keyof LimitSettings]: number };
  readonly #catalogs: Map<string, NonNullable<ReturnType<Config['catalogs']['get']>>>;
  #inForce: Config;
  #added: readonly AddedPod[] = [];
  /** Those of the file, then those that were added. */
  #pods: Config['pods'];

  constructor(config: Config, log: Log) {
    this.#log = log;
    this.#inForce = config;
    this.#pods = config.pods;
    this.#limits = { ...config.limits };
    this.#catalogs = new Map(config.catalogs);
    const { all, default: standard } = config.listings;
    const listings = new Listings(all, standard.id);
    const now = { pods: () => this.#pods, logLevel: () => this.#inForce.logLevel };
    this.config = {
      ...config,
      ...{ listings, limits: this.#limits, catalogs: this.#catalogs },
      get pods() {
        return now.pods();
      },
      get logLevel() {
        return now.logLevel();
      },
    };
  }

  /** The configuration as the file gave it, without added pods; this object never changes. */
  get inForce(): Config {
    return this.#inForce;
  }

  /** Puts another one in force, all of it in this moment. */
  take(next: Config): void {
    const { all, default: standard } = next.listings;
    this.config.listings.renew(all, standard.id);
    Object.assign(this.#limits, next.limits);
    this.#catalogs.clear();
    for (const [model, facts] of next.catalogs) this.#catalogs.set(model, facts);
    this.#inForce = next;
    this.#joinPods();
  }

  /** Puts these added pods in force; false if they are already. */
  takeAdded(added: readonly AddedPod[]): boolean {
    if (isDeepStrictEqual(added, this.#added)) return false;
    this.#added = added;
    this.#joinPods();
    return true;
  }

  #joinPods(): void {
    const used = usedBeside(this.#inForce, this.#added);
    this.#pods = [...this.#inForce.pods, ...used];
    for (const { id, model } of this.#added) {
      if (used.some((pod) => pod.id === id)) continue;
      const sentence = 'An added pod is not used: the file lacks its model, or has its id or address. Remove it.';
      this.#log.warn({ pod: id, model }, sentence);
    }
  }
}
