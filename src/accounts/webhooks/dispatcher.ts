/**
 * Delivers what the outbox has, at least once. Messages of one object go one after another, because of each object only
 * the first that is not delivered is due; a later one is read when the end of the one before has committed. Where several
 * gateways serve, one of them delivers, and another goes on from the rows when it dies. docs/decisions/0051-webhooks.md.
 */

import { RepeatedWork } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { Semaphore } from '#base/semaphore.ts';
import { DAY_MS } from '#base/time.ts';
import type { WebhookUnits } from '#storage/journal/webhooks.ts';
import { type ChannelOptions, type OpenChannel, openChannel } from './channels.ts';
import type { DueMessage, OutboxStore, Receiver } from './outbox-store.ts';
import { CONNECTIONS, type Sent } from './sender.ts';

const LOOK_MS = 1_000;
const TAKEN_AT_ONCE = 200;
/**
 * How many messages are under way to endpoints that answer, and to those that do not. Slow endpoints therefore hold up
 * no others.
 */
const UNDER_WAY = { answering: 64, failing: 32 } as const;
/** After this many failures in a row an endpoint gets one message at a time. */
const FAILURES_IN_A_ROW = 10;
/** How many are under way to the endpoints of one account together. */
const UNDER_WAY_OF_ACCOUNT = 8;
/** An endpoint that takes longer to answer counts among those that fail: it holds up none that is quick. */
const SLOW_MS = 2_000;
/** After this the endpoint is read again: it may have been removed, switched off, or given another secret. */
const ROUND_MS = 5_000;
/** An endpoint that is owed more is disabled: its messages fill the database of everyone. */
const OWED_MAX = 100_000;
/** The due messages are counted in each of this many rounds. */
const ROUNDS_TO_COUNT = 60;
const RETRY_MS_FIRST = 5_000;
const RETRY_MS_MAX = 6 * 3_600_000;
/** An endpoint that has failed for so long without a success, or one message of it, ends it. */
const GIVE_UP_MS = 3 * DAY_MS;
/** The receiver refuses further messages. */
const GONE = 410;

/** What the dispatcher needs. */
export interface DispatcherOptions extends ChannelOptions {
  readonly store: OutboxStore;
  readonly journal: Pick<JournalPort<WebhookUnits>, 'write'>;
  readonly random: Random;
  readonly log: Log;
  /** Whether the database only does not answer. */
  readonly isOutage: (error: unknown) => boolean;
  /** Whether this gateway delivers now: only one gateway of a cluster does. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Looks for messages every second until it is closed. */
export class Dispatcher {
  /** Attempts of this gateway since its start. */
  readonly counts = { delivered: 0, failed: 0 };
  readonly #options: DispatcherOptions;
  readonly #rounds: RepeatedWork;
  readonly #served = new Map<string, Promise<void>>();
  /** Failures in a row, and since when, by endpoint; of those that fail now. */
  readonly #failures = new Map<string, { readonly count: number; readonly sinceMs: number }>();
  /** Endpoints whose last answer came late. */
  readonly #slow = new Set<string>();
  readonly #accounts = new Map<string, { readonly permits: Semaphore; users: number }>();
  readonly #permits = {
    answering: new Semaphore(UNDER_WAY.answering),
    failing: new Semaphore(UNDER_WAY.failing),
  };
  readonly #open = new Set<OpenChannel>();
  #closed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#rounds = new RepeatedWork(options.clock, LOOK_MS, () => this.#lookForDue());
  }

  /** Cuts messages under way; they are sent again. Resolves when nothing of it uses the database any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const channel of this.#open) void channel.close();
    this.#options.mailer?.close();
    await this.#rounds.close();
    await Promise.all(this.#served.values());
  }

  /** Whether messages are looked for or under way. Tests that move the clock by hand wait for it. */
  get busy(): boolean {
    return this.#rounds.busy || this.#served.size > 0;
  }

  get #mayDeliver(): boolean {
    return !this.#closed && this.#options.mayRun?.() !== false;
  }

  async #lookForDue(): Promise<void> {
    if (!this.#mayDeliver) return;
    try {
      for (const id of await this.#options.store.dueEndpoints(this.#options.clock.nowMs()))
        if (!this.#served.has(id)) this.#served.set(id, this.#serveEndpoint(id));
    } catch (error) {
      this.#logFailure(error, 'Due webhooks could not be read; trying again.');
    }
  }

  /** Sends the due messages of an endpoint until there are none. Never rejects. */
  async #serveEndpoint(id: string): Promise<void> {
    const { store, clock } = this.#options;
    try {
      for (let rounds = 0; this.#mayDeliver; rounds++) {
        const due = await store.due(id, clock.nowMs(), TAKEN_AT_ONCE);
        if (!due) this.#forgetFailures(id);
        if (!due || due.messages.length === 0) break;
        // Looked at only where much is owed, once in a while: it reads as far as the bound.
        if (
          due.messages.length === TAKEN_AT_ONCE &&
          rounds % ROUNDS_TO_COUNT === 0 &&
          (await store.owesMore(id, OWED_MAX))
        ) {
          await this.#disableEndpoint(due.receiver, `More than ${OWED_MAX} messages waited for it.`);
          break;
        }
        const { receiver, messages } = due;
        await this.#withPermits(receiver.accountId, (permits) => this.#sendAll(receiver, messages, permits));
      }
    } catch (error) {
      this.#logFailure(error, 'Webhooks could not be read or written; trying again.');
    } finally {
      this.#served.delete(id);
    }
  }

  /** Lends out the permits of an account while one of its endpoints is served. */
  async #withPermits(id: string, work: (permits: Semaphore) => Promise<void>): Promise<void> {
    const account = this.#accounts.get(id) ?? { permits: new Semaphore(UNDER_WAY_OF_ACCOUNT), users: 0 };
    this.#accounts.set(id, account);
    account.users++;
    try {
      await work(account.permits);
    } finally {
      account.users--;
      if (account.users === 0) this.#accounts.delete(id);
    }
  }

  async #sendAll(receiver: Receiver, messages: readonly DueMessage[], permits: Semaphore): Promise<void> {
    const channel = openChannel(receiver, this.#options);
    this.#open.add(channel);
    const rest = messages.values();
    const begunMs = this.#options.clock.monotonicMs();
    const isLate = () => this.#options.clock.monotonicMs() - begunMs > ROUND_MS;
    let isOver = false;
    const worker = async (first: boolean) => {
      for (const message of rest) {
        // The others stop where an endpoint does not answer; one goes on.
        if (isOver || isLate() || !this.#mayDeliver || (!first && this.#isFailing(receiver.id))) return;
        try {
          isOver ||= await permits.run(() =>
            this.#permitsFor(receiver.id).run(async () => isLate() || this.#sendMessage(channel, receiver, message)),
          );
        } catch (error) {
          isOver = true;
          throw error;
        }
      }
    };
    const workers = this.#isFailing(receiver.id) ? 1 : CONNECTIONS;
    const ends = await Promise.allSettled(Array.from({ length: workers }, (_, at) => worker(at === 0)));
    this.#open.delete(channel);
    await channel.close();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** An outage is logged by the code that needs the database for an order. */
  #logFailure(error: unknown, sentence: string): void {
    if (!this.#closed && !this.#options.isOutage(error)) this.#options.log.error({ err: error }, sentence);
  }

  #isFailing(id: string): boolean {
    return this.#slow.has(id) || (this.#failures.get(id)?.count ?? 0) >= FAILURES_IN_A_ROW;
  }

  #permitsFor(id: string): Semaphore {
    return this.#permits[this.#isFailing(id) ? 'failing' : 'answering'];
  }

  /** Returns whether the endpoint is switched off now. Resolves when the outcome has committed. */
  async #sendMessage(channel: OpenChannel, receiver: Receiver, message: DueMessage): Promise<boolean> {
    if (!this.#mayDeliver) return true;
    const { clock, journal } = this.#options;
    const begunMs = clock.monotonicMs();
    const sent = await channel.send(message);
    if (this.#closed) return true;
    const error = failureOf(sent);
    const atMs = clock.nowMs();
    this.#countAttempt(receiver.id, error === null, atMs);
    if (clock.monotonicMs() - begunMs > SLOW_MS) this.#slow.add(receiver.id);
    else this.#slow.delete(receiver.id);
    const attempts = message.attempts + 1;
    const nextAtMs = error === null ? null : atMs + this.#delayMs(attempts);
    const status = 'status' in sent ? sent.status : null;
    await journal.write({ kind: 'webhook-tried', seq: message.seq, attempts, atMs, status, error, nextAtMs });
    const sinceMs = Math.min(message.firstAtMs ?? atMs, this.#failures.get(receiver.id)?.sinceMs ?? atMs);
    const reason = error === null ? null : endOf(sent, error, atMs - sinceMs);
    if (reason === null) return false;
    await this.#disableEndpoint(receiver, reason);
    return true;
  }

  /** An endpoint is gone, or off. */
  #forgetFailures(id: string): void {
    this.#failures.delete(id);
    this.#slow.delete(id);
  }

  #countAttempt(id: string, isDelivered: boolean, atMs: number): void {
    this.counts[isDelivered ? 'delivered' : 'failed']++;
    if (isDelivered) this.#failures.delete(id);
    else {
      const { count, sinceMs } = this.#failures.get(id) ?? { count: 0, sinceMs: atMs };
      this.#failures.set(id, { count: count + 1, sinceMs });
    }
  }

  /** Doubles with each attempt, with up to a tenth more by chance, so that messages do not come back all at once. */
  #delayMs(attempts: number): number {
    const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_FIRST * 2 ** Math.min(attempts - 1, 20));
    return Math.round(delayMs * (1 + this.#options.random.next() / 10));
  }

  async #disableEndpoint(receiver: Receiver, reason: string): Promise<void> {
    const { store, log } = this.#options;
    await store.disable(receiver, reason);
    this.#forgetFailures(receiver.id);
    log.error({ webhook: receiver.id, account: receiver.accountId, reason }, 'A webhook endpoint was disabled.');
  }
}

/** Why a message does not count as delivered, a sentence; null when it does. */
function failureOf(sent: Sent): string | null {
  if ('error' in sent) return sent.error;
  const { status } = sent;
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It answered with a redirect (${status}), which is not followed.`;
  return `It answered with ${status}.`;
}

/** Why an endpoint is switched off that, or whose message, has failed for so long; null while it is tried again. */
function endOf(sent: Sent, error: string, forMs: number): string | null {
  if ('status' in sent && sent.isGone) return `${error} It takes no more messages.`;
  if ('status' in sent && sent.status === GONE) return 'It answered with 410, which refuses further messages.';
  if (forMs < GIVE_UP_MS) return null;
  return `A message could not be delivered for three days. ${error}`;
}
