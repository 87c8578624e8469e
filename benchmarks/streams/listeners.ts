/**
 * Many listeners of one stream in their own process, over plain sockets: `node listeners.ts`. The parent says where to
 * listen; at the end the process reports how many of them received each change of a period, in order.
 */
import { connect } from 'node:net';

/** Opens this many listeners. Answered by `connected` once each has received its first frame. */
export interface ListenOrder {
  readonly port: number;
  readonly path: string;
  readonly listeners: number;
}

/** Asks for the changes after `from` up to and including `to`, ISO timestamps. */
export interface CountOrder {
  readonly from: string;
  readonly to: string;
}

/** The number of listeners with each sequence of changes, and the delay of each change at each listener. */
export interface CountResult {
  /** Maps the joined changes to the number of listeners that received exactly these. */
  readonly sequences: Readonly<Record<string, number>>;
  readonly lateMs: readonly number[];
}

const UPDATED = /"updated_at":"([^"]+)"/g;

class Listener {
  readonly changes: string[] = [];
  readonly atMs: number[] = [];
  #rest = '';

  constructor({ port, path }: ListenOrder, onFirst: () => void) {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      const isFirst = this.changes.length === 0;
      this.#take(text);
      if (isFirst && this.changes.length > 0) onFirst();
    });
    socket.on('error', () => {});
  }

  #take(text: string): void {
    const whole = this.#rest + text;
    let end = 0;
    for (const match of whole.matchAll(UPDATED)) {
      this.changes.push(match[1] ?? '');
      this.atMs.push(Date.now());
      end = match.index + match[0].length;
    }
    this.#rest = whole.slice(end).slice(-200);
  }
}

const all: Listener[] = [];

process.on('message', (order: ListenOrder | CountOrder) => {
  if ('listeners' in order) {
    let waiting = order.listeners;
    const open = () => {
      // No more at once than fit in the queue of new connections.
      for (let more = 0; more < 50 && all.length < order.listeners; more++) {
        all.push(new Listener(order, () => --waiting === 0 && process.send?.('connected')));
      }
      if (all.length < order.listeners) setTimeout(open, 20);
    };
    open();
  } else process.send?.(count(order));
});

function count({ from, to }: CountOrder): CountResult {
  const sequences: Record<string, number> = {};
  const lateMs: number[] = [];
  for (const { changes, atMs } of all) {
    const received = changes.filter((change) => change > from && change <= to);
    sequences[received.join()] = (sequences[received.join()] ?? 0) + 1;
    for (const [index, change] of changes.entries()) {
      if (change > from && change <= to) lateMs.push((atMs[index] ?? 0) - Date.parse(change));
    }
  }
  return { sequences, lateMs };
}
