/**
 * The load generator, in its own process: raw keep-alive sockets with one request in flight each, always the same
 * bytes. It reads only as much of an answer as it needs for the status and the end, so that it costs little compared to
 * what it measures. Started with `fork`; each message is a `LoadOrder`, answered by a `LoadResult`.
 */
import { connect } from 'node:net';

/** What to send, where, and for how long. */
export interface LoadOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Text that every good answer contains. */
  readonly mark: string;
  readonly connections: number;
  readonly durationMs: number;
}

/** Answers that ended in time. Latencies are from the first byte of the request to the last of the answer. */
export interface LoadResult {
  readonly requests: number;
  readonly failures: number;
  /** The beginning of the first bad answer, for diagnosis. */
  readonly firstFailure: string | null;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

class Lane {
  readonly latencies: number[] = [];
  failures = 0;
  firstFailure: string | null = null;
  readonly #order: LoadOrder;
  readonly #request: Buffer;
  #parts: Buffer[] = [];

  constructor(order: LoadOrder, request: Buffer) {
    this.#order = order;
    this.#request = request;
  }

  run(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.#order.url);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let sentAt = 0;
      const send = () => {
        if (performance.now() >= untilMs) {
          socket.destroy();
          resolve();
          return;
        }
        this.#parts = [];
        sentAt = performance.now();
        socket.write(this.#request);
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('end', () => reject(new Error('The server closed a connection that it should have kept.')));
      socket.on('data', (bytes: Buffer) => {
        this.#parts.push(bytes);
        const answer = this.#whole(bytes);
        if (answer === null) return;
        const now = performance.now();
        if (now <= untilMs) this.#judge(answer, now - sentAt);
        send();
      });
    });
  }

  /** The answer once it is complete; null before. */
  #whole(last: Buffer): Buffer | null {
    const chunkedEnd = last.length >= 5 && last.subarray(-5).equals(CHUNKED_END);
    if (!chunkedEnd && this.#parts.length > 1 && isChunked(this.#parts[0])) return null;
    const answer = this.#parts.length === 1 ? last : Buffer.concat(this.#parts);
    if (chunkedEnd) return answer;
    const head = answer.indexOf('\r\n\r\n');
    if (head < 0) return null;
    const length = /\r\ncontent-length: *(\d+)/i.exec(answer.subarray(0, head).toString('latin1'))?.[1];
    return length !== undefined && answer.length >= head + 4 + Number(length) ? answer : null;
  }

  #judge(answer: Buffer, latencyMs: number): void {
    if (answer.subarray(0, 12).equals(GOOD) && answer.includes(this.#order.mark)) {
      this.latencies.push(latencyMs);
      return;
    }
    this.failures++;
    this.firstFailure ??= answer.subarray(0, 600).toString();
  }
}

const CHUNKED_END = Buffer.from('0\r\n\r\n');
const GOOD = Buffer.from('HTTP/1.1 200');

function isChunked(first: Buffer | undefined): boolean {
  return first !== undefined && /\r\ntransfer-encoding: *chunked/i.test(first.subarray(0, 2048).toString('latin1'));
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const { pathname, host } = new URL(order.url);
  const headers = { ...order.headers, host, 'content-type': 'application/json', 'content-length': order.body.length };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head.join('')}\r\n${order.body}`);
  const lanes = Array.from({ length: order.connections }, () => new Lane(order, request));
  const beginMs = performance.now();
  await Promise.all(lanes.map((lane) => lane.run(beginMs + order.durationMs)));
  const latencies = lanes.flatMap((lane) => lane.latencies).sort((a, b) => a - b);
  return {
    requests: latencies.length,
    failures: lanes.reduce((sum, lane) => sum + lane.failures, 0),
    firstFailure: lanes.find((lane) => lane.firstFailure !== null)?.firstFailure ?? null,
    seconds: order.durationMs / 1000,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  };
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
