/**
 * The calls of a serving gateway into its data folder. A disk that hangs, such as a dead network mount, keeps the thread
 * that called it, and a process has four threads for all its files, names and compression. So few calls are in the disk
 * at once, and nobody waits for one longer than the deadline. Decision 33.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';

/** Half of the threads: the others go on when these hang. */
const DISK_CALLS_AT_ONCE = 2;
/** How many calls may wait for their turn, and how many deletions to be tried again; the next start does the rest. */
const WAITING_MAX = 10_000;
/** A disk that is full or gone seldom recovers within seconds. */
const RETRY_S = 30;

/**
 * How the stores of a data folder call it. Each `work` is one or a few calls, one after the other. A failure of the disk
 * is a Fault `unavailable` with Retry-After, whose cause is that of the disk.
 */
export interface DiskAccess {
  /**
   * For a caller: rejects with a Fault `unavailable` after the deadline, and at once while nothing comes back. A call
   * that hangs then goes on. `work` calls `proceed`, which throws when it is late, before a step that is hard to take
   * back; what it answers late is undone.
   */
  inTime<Answer>(
    work: (proceed: () => void) => Promise<Answer>,
    undo?: (answer: Answer) => Promise<void>,
  ): Promise<Answer>;
  /** For work without a waiting caller: it may take any time. */
  patiently<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /**
   * For a deletion: resolves when it is done, or after the deadline, or at once while a call hangs: it is then done when
   * the disk answers again. Only `directAccess` rejects.
   */
  eventually(work: () => Promise<void>): Promise<void>;
}

/** For commands, and for repairs at a start: waits as long as it takes. */
export const directAccess: DiskAccess = {
  inTime: (work) => work(() => {}).catch(failed),
  patiently: (work) => work().catch(failed),
  eventually: (work) => work().catch(failed),
};

/** The clock that times the calls. */
export interface DiskCallsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How long a caller waits. */
  readonly deadlineMs: number;
  /** The name for the log; by default the data folder. */
  readonly name?: string;
  /** How many calls are under way at once; by default what a disk may hold up. */
  readonly atOnce?: number;
  /** While false no call begins: another gateway may be writing in this one's place. By default always true. */
  readonly mayCall?: () => boolean;
}

interface Turn {
  /** Resolves with whether the disk did it; never rejects. */
  readonly take: () => Promise<boolean>;
  /** Refuses the caller; null where none waits. */
  readonly giveUp: (() => void) | null;
}

/** The access of one gateway to one disk, or to one bucket. */
export class DiskCalls implements DiskAccess {
  readonly #options: Required<DiskCallsOptions>;
  /** In order of arrival. */
  readonly #waiting: Turn[] = [];
  /** Deletions that failed. Each call that succeeds has one of them tried again. */
  readonly #owed: (() => Promise<void>)[] = [];
  #running = 0;
  /** How many running calls have taken longer than the deadline. */
  #overdue = 0;

  constructor(options: DiskCallsOptions) {
    this.#options = { name: 'data folder', atOnce: DISK_CALLS_AT_ONCE, mayCall: () => true, ...options };
  }

  /** Whether no call can be made, because those that were made do not come back. */
  get stalled(): boolean {
    return this.#overdue >= this.#options.atOnce;
  }

  /** Whether a call is under way that may come back soon. */
  get working(): boolean {
    return this.#running > this.#overdue;
  }

  inTime<Answer>(
    work: (proceed: () => void) => Promise<Answer>,
    undo: (answer: Answer) => Promise<void> = async () => {},
  ): Promise<Answer> {
    if (this.stalled) return Promise.reject(silenceFault());
    return new Promise((resolve, reject) => {
      let late = false;
      const giveUp = () => {
        late = true;
        timer.cancel();
        reject(silenceFault());
      };
      const timer = this.#options.clock.after(this.#options.deadlineMs, () => {
        const at = this.#waiting.indexOf(turn);
        if (at >= 0) this.#waiting.splice(at, 1);
        giveUp();
      });
      const proceed = () => {
        if (late) throw new LateCall();
      };
      const whole = async () => {
        this.#requireRight();
        const answer = await work(proceed);
        timer.cancel();
        if (late) await undo(answer);
        else resolve(answer);
        return true;
      };
      const take = () =>
        whole().catch((error) => {
          timer.cancel();
          if (late) this.#logLate(error);
          else reject(fileStoreFault(error));
          return false;
        });
      const turn: Turn = { take, giveUp };
      this.#enter(turn, reject);
    });
  }

  patiently<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const whole = async () => {
        this.#requireRight();
        resolve(await work());
        return true;
      };
      const take = () =>
        whole().catch((error) => {
          reject(fileStoreFault(error));
          return false;
        });
      this.#enter({ take, giveUp: null }, reject);
    });
  }

  eventually(work: () => Promise<void>): Promise<void> {
    const done = this.patiently(work).catch((error) => {
      this.#options.log.warn({ err: error }, `A deletion in the ${this.#options.name} failed; it is tried again.`);
      this.#owe(work);
    });
    if (this.#overdue > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(this.#options.deadlineMs, resolve);
      void done.finally(() => timer.cancel()).then(resolve);
    });
  }

  #requireRight(): void {
    if (!this.#options.mayCall()) throw new Error('nothing is stored until this gateway has beaten again');
  }

  #owe(work: () => Promise<void>): void {
    if (this.#owed.length < WAITING_MAX) this.#owed.push(work);
  }

  #enter(turn: Turn, refuse: (error: Fault) => void): void {
    if (this.#running < this.#options.atOnce) void this.#take(turn);
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push(turn);
    else refuse(silenceFault());
  }

  async #take(turn: Turn): Promise<void> {
    this.#running++;
    let overdue = false;
    const timer = this.#options.clock.after(this.#options.deadlineMs, () => {
      overdue = true;
      this.#overdue++;
      if (this.stalled) this.#refuseWaiting();
    });
    const succeeded = await turn.take();
    timer.cancel();
    if (overdue) {
      const { log, name } = this.#options;
      if (this.stalled) log.info({}, `The ${name} answers again.`);
      this.#overdue--;
    }
    this.#running--;
    const next = this.#waiting.shift();
    if (next) void this.#take(next);
    const owed = succeeded ? this.#owed.shift() : undefined;
    if (owed) this.patiently(owed).catch(() => this.#owe(owed));
  }

  /** Waiting callers are refused; work without a waiting caller stays. */
  #refuseWaiting(): void {
    const { log, name } = this.#options;
    log.error({}, `The ${name} does not answer: nothing is stored or read until it does.`);
    const callers = this.#waiting.filter(({ giveUp }) => giveUp !== null);
    const others = this.#waiting.filter(({ giveUp }) => giveUp === null);
    this.#waiting.splice(0, this.#waiting.length, ...others);
    for (const { giveUp } of callers) giveUp?.();
  }

  #logLate(error: unknown): void {
    if (error instanceof LateCall) return;
    const { log, name } = this.#options;
    log.warn({ err: error }, `A late call to the ${name} failed.`);
  }
}

/** Stops the work of a caller who has been refused. */
class LateCall extends Error {}

function failed(cause: unknown): never {
  throw fileStoreFault(cause);
}

/** A failure of the disk may be temporary: callers are asked to retry, and the operator gets the cause. */
export function fileStoreFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const message = 'The file store cannot be reached, or is full. Try again shortly.';
  return new Fault('unavailable', { message, retryAfterS: RETRY_S, cause });
}

function silenceFault(): Fault {
  const message = 'The file store does not answer. Try again shortly.';
  return new Fault('unavailable', { message, retryAfterS: RETRY_S });
}
