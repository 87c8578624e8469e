/**
 * How the lines of a batch with a deadline take turns. Only this many of an account's lines may wait in books, and with
 * a deadline they wait on purpose: lines that got all of the batch's time could keep their places until its last
 * minutes, and those outside would never start. So the time that a line gets is the time left × the batch's places ÷
 * its lines still to start: with half of them outside, half of the time. Pure. docs/decisions/0057.
 */

/** A batch with a deadline may have this many lines in books for each place of its account that it leaves free. */
const PER_FREE_PLACE = 4;

/**
 * How many places of the account must stay free after a line has taken its place, when its batch has a deadline and
 * `queued` lines wait; 0 for the first line. Each such batch leaves a fifth of the places that it finds: to lines that
 * are to start at once, and to batches that come later with less time.
 */
export function keptFree(queued: number): number {
  return queued === 0 ? 0 : Math.ceil((queued + 1) / PER_FREE_PLACE);
}

/** How many lines of the batch may be queued when `queued` are now and `free` places are left; at least one. */
export function placesOf(queued: number, free: number): number {
  return Math.max(1, Math.floor(((queued + free) * PER_FREE_PLACE) / (PER_FREE_PLACE + 1)));
}

/** The moment at which a line becomes an order. */
interface LineTurn {
  readonly nowMs: number;
  /** Of the batch. */
  readonly deadlineMs: number;
  /** Lines of the batch that have not started, in a book or outside, this one included. */
  readonly waiting: number;
  /** How many of them may be in books. */
  readonly places: number;
}

/** The time by which the line must start: never after the deadline of its batch, unless that has passed. */
export function lineDeadlineMs({ nowMs, deadlineMs, waiting, places }: LineTurn): number {
  return Math.ceil(nowMs + Math.max(0, deadlineMs - nowMs) * Math.min(1, places / waiting));
}
