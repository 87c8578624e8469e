/**
 * A WebSocket as the transport uses it: text frames, read one by one while both sides greet each other, and handed
 * over afterwards. Nothing that arrives in between is lost. Errors are never thrown; a line that has one is broken.
 */
import type { WebSocket } from 'ws';
import type { Clock, Timer } from '#base/clock.ts';

/** The largest frame that is read. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** How long the other side may take to answer a close. */
const CLOSE_MS = 1_000;

/** Options of both ends: small frames are not worth compressing, and a gateway's link is fast. */
export const lineOptions = { perMessageDeflate: false, maxPayload: FRAME_BYTES_MAX } as const;

/** How a line ended. */
export class LineEnd extends Error {
  /** The code of its close frame; 1006 without one. */
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason || `closed with ${code}`);
    this.code = code;
  }
}

/** Receives the frames of a line, and its end. */
interface LineTaker {
  frame(text: string): void;
  /** Anything arrived at all. */
  alive(): void;
  ended(end: LineEnd): void;
}

/** One end of a WebSocket. */
export class PeerLine {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #early: string[] = [];
  #taker: LineTaker | null = null;
  #waiting: { readonly take: (text: string) => void; readonly fail: (end: LineEnd) => void } | null = null;
  #end: LineEnd | null = null;
  #closing: Timer | null = null;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.cut('a binary frame');
      else this.#arrived(String(data));
    });
    socket.on('ping', () => this.#taker?.alive());
    socket.on('pong', () => this.#taker?.alive());
    // `close` follows.
    socket.on('error', (error) => {
      this.#end ??= new LineEnd(1006, error.message);
    });
    socket.on('close', (code, reason) => {
      this.#closing?.cancel();
      // What this side did, or an error, explains more than the code 1006 that results.
      const end = this.#end && code === 1006 ? this.#end : new LineEnd(code, String(reason));
      this.#end = end;
      this.#waiting?.fail(end);
      this.#waiting = null;
      this.#taker?.ended(end);
    });
  }

  /** The next frame. Rejects with a LineEnd. Only before `handOver`, and one at a time. */
  next(): Promise<string> {
    return new Promise((resolve, reject) => {
      const text = this.#early.shift();
      if (text !== undefined) resolve(text);
      else if (this.#socket.readyState === this.#socket.CLOSED) reject(this.#end);
      else this.#waiting = { take: resolve, fail: reject };
    });
  }

  /** From now on everything goes to `taker`, beginning with what has already arrived. */
  handOver(taker: LineTaker): void {
    this.#taker = taker;
    for (const text of this.#early.splice(0)) taker.frame(text);
    if (this.#socket.readyState === this.#socket.CLOSED)
      setImmediate(() => taker.ended(this.#end ?? new LineEnd(1006, '')));
  }

  send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  /** Bytes that were sent and are still in this process. */
  get backlogBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Says why, and waits a second for the answer. */
  close(code: number, reason = ''): void {
    this.#end ??= new LineEnd(code, reason);
    this.#socket.close(code, reason);
    this.#closing ??= this.#clock.after(CLOSE_MS, () => this.#socket.terminate());
  }

  /** Ends it at once: the other side may be gone. */
  cut(reason: string): void {
    this.#end ??= new LineEnd(1006, reason);
    this.#socket.terminate();
  }

  #arrived(text: string): void {
    const { take } = this.#waiting ?? {};
    this.#waiting = null;
    this.#taker?.alive();
    if (take) take(text);
    else if (this.#taker) this.#taker.frame(text);
    else this.#early.push(text);
  }
}
