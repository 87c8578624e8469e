/**
 * Many listeners of one stream in a process of their own, over plain sockets: `node listeners.ts`, told by its parent
 * where to listen. Asked in the end, it says how many of them were told each change of a stretch of time, in order.
 */
import { connect } from 'node:net';

/** Opens this many listeners. Answered by `connected` once each has had its first frame. */
export interface ListenOrder {
  readonly port: number;
  readonly path: string;
  readonly listeners: number;
}

/** Asks for the changes after `from` up to `to`, ISO timestamps. */
export interface CountOrder {
  readonly from: string;
  readonly to: string;
}

/** How many listeners had each sequence of changes, and how late the last one had each. */
export interface CountResult {
  /** From the changes, joined, to the number of listeners that were told exactly these. */
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
      // No more at once than the queue of new connections holds.
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
    const told = changes.filter((change) => change > from && change <= to);
    sequences[told.join()] = (sequences[told.join()] ?? 0) + 1;
    for (const [index, change] of changes.entries()) {
      if (change > from && change <= to) lateMs.push((atMs[index] ?? 0) - Date.parse(change));
    }
  }
  return { sequences, lateMs };
}
