/**
 * Callers who close their side of the connection while a reply is due. One has only finished sending and still reads;
 * another has left altogether. Both send the same FIN: only writing shows which, because a machine that has closed a
 * connection refuses bytes for it. docs/decisions/0029-a-half-closed-caller-is-probed.md
 */
import type { ServerResponse } from 'node:http';
import { systemClock, type Timer } from '#base/clock.ts';
import { isEventStream } from './event-stream.ts';

/** A write fails once an earlier one was refused; few pairs of machines are further apart than this. */
const PROBE_MS = 250;
/** Each wait is twice as long as the one before, up to this. */
const PROBE_MS_MAX = 10_000;

/**
 * Writes to the caller of `reply`, which is not complete, until it is or a write fails and closes the connection. On the
 * machine's clock, even when a test moves another: only a socket sees it.
 */
export function probeCaller(reply: ServerResponse): void {
  let timer: Timer | null = null;
  const probe = (waitMs: number) => {
    if (reply.closed || reply.writableEnded || !write(reply)) return;
    timer = systemClock.after(waitMs, () => probe(Math.min(2 * waitMs, PROBE_MS_MAX)));
  };
  reply.once('close', () => timer?.cancel());
  probe(PROBE_MS);
}

/** Writes what no client takes for a part of the reply. False when nothing more needs to be written. */
function write(reply: ServerResponse): boolean {
  if (reply.headersSent) {
    // Of other replies the body is under way: its own writes fail.
    if (!isEventStream(reply)) return false;
    reply.write(':\n\n');
  } else if (reply.req.httpVersionMinor === 0) {
    // This version has no interim responses: such a caller counts as gone.
    reply.destroy();
    return false;
  } else if (reply.socket) {
    reply.writeContinue();
  }
  // Otherwise an earlier reply is still due on this connection.
  return true;
}
