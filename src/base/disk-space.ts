/**
 * Whether the disk of the data folder can take anything new: it has more room than the reserve, so that a database on
 * the same disk can still commit, and it answers. docs/sell/incidents.md.
 */
import type { Clock, Timer } from './clock.ts';
import { Fault } from './fault.ts';
import type { Log } from './log.ts';

/** How often the free space is measured. */
export const DISK_CHECK_MS = 5_000;
const RETRY_S = 30;

/** What is known about the disk. */
export interface DiskState {
  /** Whether nothing new may be stored: less than the reserve was free when it was measured, or nothing comes back. */
  readonly low: boolean;
}

/** The same for code that stores data of accounts. */
export interface StorageRoom extends DiskState {
  /** Whether the account stores more than it leaves free, while the disk has less room than another reserve. */
  isOver(accountId: string): boolean;
}

/** The same for code that writes much between two measurements. */
export interface DiskRoom extends StorageRoom {
  /** How many bytes may be written before it is low; below 0 when it is. Infinite where content is elsewhere, or not known. */
  readonly availableBytes: number;
  /** Counts bytes that are about to be written, or were freed if negative, until the next measurement sees them. */
  willWrite(bytes: number): void;
}

/** What the disk space is measured with. */
interface DiskSpaceOptions {
  /** How many bytes this process may still write. */
  readonly freeBytes: () => Promise<number>;
  readonly reserveBytes: number;
  /** The accounts that store more than this many bytes on this disk; null if content is stored elsewhere. */
  readonly storingMoreThan: ((bytes: number) => Promise<readonly string[]>) | null;
  /** The calls to the disk: whether they come back. */
  readonly calls: { readonly stalled: boolean };
  readonly clock: Clock;
  readonly log: Log;
}

/** Measures the free space again and again until it is closed. */
export class DiskSpace implements DiskRoom {
  readonly #options: DiskSpaceOptions;
  #low = false;
  /** Infinity until it is known. */
  #free = Number.POSITIVE_INFINITY;
  #over: ReadonlySet<string> = new Set();
  #failed = false;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  get low(): boolean {
    return this.#low || this.#options.calls.stalled;
  }

  /** How many bytes were free at the last measurement, less those written since; null before the first. */
  get freeBytes(): number | null {
    return Number.isFinite(this.#free) ? Math.max(0, this.#free) : null;
  }

  get availableBytes(): number {
    const { reserveBytes, storingMoreThan } = this.#options;
    return storingMoreThan ? this.#free - reserveBytes : Number.POSITIVE_INFINITY;
  }

  isOver(accountId: string): boolean {
    return this.#over.has(accountId);
  }

  willWrite(bytes: number): void {
    this.#free -= bytes;
    this.#judge();
  }

  /**
   * Measures now, and then every `DISK_CHECK_MS`. Never rejects: if the disk cannot be measured, the last values stay.
   */
  async watch(): Promise<void> {
    await this.#measure();
    if (!this.#closed) this.#timer = this.#options.clock.after(DISK_CHECK_MS, () => void this.watch());
  }

  /** Measures no more. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #measure(): Promise<void> {
    const { freeBytes, log } = this.#options;
    try {
      this.#free = await freeBytes();
      this.#judge();
      this.#failed = false;
      // While the database does not answer, it is refused elsewhere.
      this.#over = new Set(await this.#overShare().catch(() => this.#over));
    } catch (error) {
      if (!this.#failed) log.error({ err: error }, 'The free space of the disk could not be measured.');
      this.#failed = true;
    }
  }

  /** No account has a share while there is plenty of room. */
  async #overShare(): Promise<Iterable<string>> {
    const { reserveBytes, storingMoreThan } = this.#options;
    const available = this.availableBytes;
    return available < reserveBytes ? ((await storingMoreThan?.(Math.max(0, available))) ?? []) : [];
  }

  #judge(): void {
    const { reserveBytes, log } = this.#options;
    const bytes = this.#free;
    const low = bytes < reserveBytes;
    if (low && !this.#low) log.error({ bytes, reserveBytes }, 'The disk is nearly full: nothing more is stored.');
    if (!low && this.#low) log.info({ bytes, reserveBytes }, 'The disk has room again.');
    this.#low = low;
  }
}

/**
 * For what would have to be stored for an account: throws unavailable while the disk is low, and rate_limit_error when it
 * is nearly so because of this account.
 */
export function requireRoom(disk: StorageRoom, accountId: string): void {
  if (disk.low) {
    const message =
      'The gateway cannot store files, batches, and results of detached or keyed requests now: its disk is nearly full, ' +
      'or does not answer. Try again shortly.';
    throw diskFault(message);
  }
  if (disk.isOver(accountId)) throw overShare();
}

/** The fault for an account that stores as much as it leaves free. */
export function overShare(): Fault {
  const message =
    "This account stores as much as it leaves free on the gateway's disk. Delete files or results, or try again later.";
  return new Fault('rate_limit_error', { message, retryAfterS: RETRY_S });
}

/** The fault for what is refused while the disk is nearly full or silent. */
export function diskFault(message: string): Fault {
  return new Fault('unavailable', { message, retryAfterS: RETRY_S });
}
