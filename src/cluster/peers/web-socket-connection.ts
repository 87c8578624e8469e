/**
 * A connection of two gateways over a WebSocket whose sides have greeted each other. All messages of one turn of the
 * event loop travel in one frame, because a frame costs more than a message; a frame carries the sender's time. Both
 * sides send a ping every second, so silence means that the other side, or the network, is gone.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { isPeerMessage } from '#generated/schemas/peer-message.js';
import type { PeerMessage } from '../messages.ts';
import type { Connection, ConnectionEvents } from './connection.ts';
import { closeCodes } from './handshake.ts';
import { FRAME_BYTES_MAX, type PeerLine } from './web-socket-line.ts';

/** A frame is split above this; a message alone may be larger, up to FRAME_BYTES_MAX. */
const FRAME_LENGTH = 1024 * 1024;
/** Room for what surrounds the messages of a frame. */
const ENVELOPE_BYTES = 64;
const PING_MS = 1_000;
/** Pings without anything heard after which a link is dead. Counted, because a clock also runs while a process is paused. */
const SILENT_PINGS_MAX = 3;
/**
 * A peer with this many unread bytes must have read some since the last ping; above the other limit it is cut off in
 * any case.
 */
const BACKLOG_BYTES = 64 * 1024 * 1024;
const BACKLOG_BYTES_MAX = 512 * 1024 * 1024;

interface WebSocketConnectionOptions {
  readonly line: PeerLine;
  readonly clock: Clock;
  readonly log: Log;
  /** The other gateway, for the log. */
  readonly gateway: number;
  /** Called with the sender's time before the messages of each frame. */
  readonly onPeerTime: (nowMs: number) => void;
  readonly onEnd: () => void;
}

/** The connection. */
export class WebSocketConnection implements Connection {
  readonly #options: WebSocketConnectionOptions;
  #events: ConnectionEvents | null = null;
  #turn: string[] = [];
  #turnLength = 0;
  #flushing = false;
  #silentPings = 0;
  #sentBytes = 0;
  /** The bytes that the peer had taken at the last ping. */
  #takenBytes = 0;
  #timer: Timer | null = null;
  #over = false;

  constructor(options: WebSocketConnectionOptions) {
    this.#options = options;
  }

  begin(events: ConnectionEvents): void {
    this.#events = events;
    this.#timer = this.#options.clock.after(PING_MS, () => this.#tick());
    this.#options.line.handOver({
      frame: (text) => this.#frame(text),
      alive: () => {
        this.#silentPings = 0;
      },
      ended: ({ message }) => {
        this.#over = true;
        this.#timer?.cancel();
        this.#options.onEnd();
        events.broken(message);
      },
    });
  }

  send(message: PeerMessage): void {
    if (this.#over) return;
    const text = JSON.stringify(message);
    if (text.length > FRAME_LENGTH && Buffer.byteLength(text) > FRAME_BYTES_MAX - ENVELOPE_BYTES) {
      const fields = { gateway: this.#options.gateway, type: message.type, length: text.length };
      this.#options.log.error(fields, 'A message to another gateway is too large to be sent.');
      this.#cut('a message that is too large');
      return;
    }
    if (this.#turnLength > 0 && this.#turnLength + text.length > FRAME_LENGTH) this.#flush();
    this.#turn.push(text);
    this.#turnLength += text.length;
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  close(): void {
    this.#flush();
    this.#over = true;
    this.#options.line.close(1000, 'the other gateway closed it');
  }

  #flush(): void {
    const { line, clock } = this.#options;
    if (this.#turn.length === 0 || this.#over) return;
    const frame = `{"at":${clock.nowMs()},"messages":[${this.#turn.join(',')}]}`;
    this.#turn = [];
    this.#turnLength = 0;
    this.#sentBytes += frame.length;
    line.send(frame);
    if (line.backlogBytes > BACKLOG_BYTES_MAX) this.#cut('it leaves too much unread');
  }

  #tick(): void {
    this.#timer = this.#options.clock.after(PING_MS, () => this.#tick());
    const { line } = this.#options;
    const takenBytes = this.#sentBytes - line.backlogBytes;
    if (line.backlogBytes > BACKLOG_BYTES && takenBytes <= this.#takenBytes) this.#cut('it does not read');
    else if (this.#silentPings >= SILENT_PINGS_MAX) this.#cut('it is silent');
    else line.ping();
    this.#takenBytes = takenBytes;
    this.#silentPings++;
  }

  #frame(text: string): void {
    const frame = parse(text);
    if (!frame) {
      this.#malformed('a frame that is none');
      return;
    }
    this.#options.onPeerTime(frame.at);
    for (const value of frame.messages) {
      if (this.#over) return;
      // Checked by `messages.schema.yaml`: other messages come from a version that the handshake should have refused.
      if (!isPeerMessage(value)) {
        this.#malformed(`no message: ${JSON.stringify(value).slice(0, 100)}`);
        return;
      }
      this.#events?.message(value as PeerMessage);
    }
  }

  #malformed(what: string): void {
    if (this.#over) return;
    this.#options.log.error({ gateway: this.#options.gateway, what }, 'Another gateway sent what is no message.');
    this.#over = true;
    this.#options.line.close(closeCodes.malformed, 'malformed');
  }

  #cut(reason: string): void {
    this.#over = true;
    this.#options.line.cut(reason);
  }
}

function parse(text: string): { readonly at: number; readonly messages: readonly unknown[] } | null {
  try {
    const { at, messages } = JSON.parse(text) ?? {};
    return Number.isSafeInteger(at) && Array.isArray(messages) ? { at, messages } : null;
  } catch {
    return null;
  }
}
