/**
 * A budget in bytes for the bodies that are being read or not yet taken over by an order. Beyond it requests wait in
 * turn with their sockets paused. An account may hold as much as it leaves free, so an account that sends less than others finds
 * room however much they send. A sender that is slow holds its share as long as nobody needs it, and loses it to those
 * that wait. Decision 34.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { FairShare } from '#base/fair-share.ts';
import { Fault } from '#base/fault.ts';

/** A smaller body needs no share: its connection costs as much. */
export const FREE_BYTES_MAX = 64 * 1024;
/** A body has this long to arrive once others wait. */
const PATIENCE_MS = 10_000;
/** A request has this long for its turn: longer than most rushes, because a refused caller sends it all again. */
const WAIT_MS_MAX = 60_000;
const RETRY_S = 5;

/** A share of the budget. */
export interface BodyShare {
  /** Aborts, with the fault for the caller, when the body came too slowly while others waited. */
  readonly signal: AbortSignal;
  /** The body has arrived: from now on nothing takes the share away. */
  arrived(): void;
  /** Gives the share back; later calls do nothing. */
  release(): void;
}

/** What a request asks for. */
interface Claim {
  readonly account: string;
  readonly bytes: number;
}

interface Waiting extends Claim {
  readonly start: () => void;
}

/** The shares of all requests. */
export class BodyBudget {
  readonly #clock: Clock;
  readonly #held: FairShare;
  readonly #waiting = new Set<Waiting>();
  /** Bodies that are still arriving, oldest first. */
  readonly #arriving = new Map<AbortController, number>();
  #check: Timer | null = null;

  constructor(bytesMax: number | (() => number), clock: Clock) {
    this.#held = new FairShare(bytesMax);
    this.#clock = clock;
  }

  /** Bytes of the budget that are free. */
  get free(): number {
    return this.#held.max - this.#held.total;
  }

  /**
   * A share of `bytes`, in order of arrival among those for which there is room; a body above the whole budget is read
   * alone. Throws unavailable.
   */
  async take(bytes: number, account: string): Promise<BodyShare> {
    const claim = { account, bytes: Math.min(bytes, this.#held.max) };
    if (this.#hasRoom(claim)) this.#held.add(account, claim.bytes);
    else await this.#turn(claim);
    return this.#shareOf(claim);
  }

  #hasRoom({ account, bytes }: Claim): boolean {
    return this.#held.total === 0 || bytes <= this.#held.roomFor(account);
  }

  #shareOf(claim: Claim): BodyShare {
    let isHeld = true;
    const controller = new AbortController();
    this.#arriving.set(controller, this.#clock.monotonicMs());
    const arrived = () => void this.#arriving.delete(controller);
    const release = () => {
      arrived();
      if (!isHeld) return;
      isHeld = false;
      this.#held.add(claim.account, -claim.bytes);
      this.#startWaiting();
    };
    return { signal: controller.signal, arrived, release };
  }

  #turn(claim: Claim): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(WAIT_MS_MAX, () => {
        this.#waiting.delete(waiting);
        reject(new Fault('unavailable', { retryAfterS: RETRY_S }));
      });
      const start = () => {
        timer.cancel();
        resolve();
      };
      const waiting = { ...claim, start };
      this.#waiting.add(waiting);
      this.#check ??= this.#clock.after(PATIENCE_MS, () => this.#dropSlow());
    });
  }

  #startWaiting(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting)) continue;
      this.#held.add(waiting.account, waiting.bytes);
      this.#waiting.delete(waiting);
      waiting.start();
    }
  }

  #dropSlow(): void {
    this.#check = null;
    if (this.#waiting.size === 0) return;
    const message = 'The body came too slowly while other requests waited to be read. Try again shortly.';
    for (const [controller, sinceMs] of this.#arriving) {
      if (sinceMs > this.#clock.monotonicMs() - PATIENCE_MS) break;
      controller.abort(new Fault('unavailable', { message, retryAfterS: RETRY_S }));
    }
    this.#check = this.#clock.after(PATIENCE_MS / 10, () => this.#dropSlow());
  }
}
