/**
 * What callers have not read yet of their replies, in bytes, over all connections. A caller who reads costs nothing
 * here: its socket takes what is written. Beyond the budget those are cut off who have been behind the longest, which
 * their orders see as a caller who left. What is kept in memory for a caller who is behind counts like what is unread.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '#base/log.ts';

/** A caller is behind with more than this; less is no more than its connection costs anyway. */
const BEHIND_BYTES = 64 * 1024;

/** The replies that are behind. */
export class UnreadBytes {
  readonly #bytesMax: () => number;
  readonly #log: Log;
  /** The bytes when they were last counted, of whoever has been behind the longest first. */
  readonly #behind = new Map<ServerResponse, number>();
  /** What is kept for those of them who follow a stream. */
  readonly #held = new WeakMap<ServerResponse, number>();
  #total = 0;

  /** `bytesMax` is asked anew each time. */
  constructor(bytesMax: number | (() => number), log: Log) {
    this.#bytesMax = typeof bytesMax === 'number' ? () => bytesMax : bytesMax;
    this.#log = log;
  }

  /** All bytes that are counted. */
  get total(): number {
    return this.#total;
  }

  /**
   * Counts what is unread of a reply, and `heldBytes` that are kept for it; to be called after each write, with the latter
   * when the reply waits for its caller. May cut off this caller or others.
   */
  note(response: ServerResponse, heldBytes = 0): void {
    if (response.writableLength + heldBytes <= BEHIND_BYTES || response.destroyed) return;
    if (heldBytes > 0) this.#held.set(response, heldBytes);
    if (!this.#behind.has(response)) this.#begin(response);
    this.#count(response);
    if (this.#total > this.#bytesMax()) this.#makeRoom();
  }

  /** Closes the connection of a caller who reads too slowly. */
  cutOff(response: ServerResponse): void {
    this.#log.info({ unread: response.writableLength }, 'A caller was cut off that read its reply too slowly.');
    response.destroy();
  }

  #begin(response: ServerResponse): void {
    const over = () => {
      response.off('drain', over).off('finish', over).off('close', over);
      this.#total -= this.#behind.get(response) ?? 0;
      this.#behind.delete(response);
    };
    this.#behind.set(response, 0);
    response.on('drain', over).on('finish', over).on('close', over);
  }

  #count(response: ServerResponse): void {
    const bytes = response.destroyed ? 0 : response.writableLength + (this.#held.get(response) ?? 0);
    this.#total += bytes - (this.#behind.get(response) ?? 0);
    this.#behind.set(response, bytes);
  }

  #makeRoom(): void {
    // Many may have read since they were counted.
    for (const response of this.#behind.keys()) this.#count(response);
    for (const response of this.#behind.keys()) {
      if (this.#total <= this.#bytesMax()) return;
      if (response.destroyed) continue;
      this.cutOff(response);
      this.#count(response);
    }
  }
}
