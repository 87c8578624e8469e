/**
 * The load generator of an open loop, in its own process: requests leave when the clock says so, whatever became of those
 * before, each on an idle connection or on a new one. What a request waited for its turn counts, so nothing is hidden by
 * a server that pauses. Started with `fork`; each message is an `OpenLoadOrder`, answered by an `OpenLoadResult`.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What to send, where, how often and for how long. */
export interface OpenLoadOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Text that every good answer contains. */
  readonly mark: string;
  readonly perSecond: number;
  readonly durationMs: number;
}

/** Milliseconds; NaN where nothing was measured. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
}

/** All requests that were due, each until the end of its answer. */
export interface OpenLoadResult {
  readonly requests: number;
  readonly failures: number;
  /** The beginning of the first bad answer, for diagnosis. */
  readonly firstFailure: string | null;
  /** From the moment when a request was due to the end of its answer. */
  readonly whole: Percentiles;
  /** To the first piece of the body. */
  readonly first: Percentiles;
  /** Between two pieces of a body. */
  readonly gaps: Percentiles;
}

class Run {
  readonly whole: number[] = [];
  readonly first: number[] = [];
  readonly gaps: number[] = [];
  failures = 0;
  firstFailure: string | null = null;
  readonly #order: OpenLoadOrder;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(order: OpenLoadOrder) {
    this.#order = order;
  }

  async play(): Promise<void> {
    const { perSecond, durationMs } = this.#order;
    const sent: Promise<void>[] = [];
    const beginMs = performance.now();
    const dueMs = () => beginMs + (1000 * sent.length) / perSecond;
    while (dueMs() < beginMs + durationMs) {
      while (dueMs() <= performance.now()) sent.push(this.#send(dueMs()));
      await sleep(1);
    }
    await Promise.all(sent);
    this.#agent.destroy();
  }

  #send(dueMs: number): Promise<void> {
    const { url, headers, body, mark } = this.#order;
    const { promise, resolve } = Promise.withResolvers<void>();
    const failed = (what: string) => {
      this.failures++;
      this.firstFailure ??= what.slice(0, 600);
      resolve();
    };
    const all = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sending = request(url, { method: 'POST', agent: this.#agent, headers: all }, (answer) => {
      const pieces: Buffer[] = [];
      let lastMs = 0;
      answer.on('data', (piece: Buffer) => {
        const nowMs = performance.now();
        if (lastMs === 0) this.first.push(nowMs - dueMs);
        else this.gaps.push(nowMs - lastMs);
        lastMs = nowMs;
        pieces.push(piece);
      });
      answer.on('error', (error) => failed(String(error)));
      answer.on('end', () => {
        this.whole.push(performance.now() - dueMs);
        const text = Buffer.concat(pieces);
        if (answer.statusCode === 200 && text.includes(mark)) resolve();
        else failed(`${answer.statusCode} ${text}`);
      });
    });
    sending.on('error', (error) => failed(String(error)));
    sending.end(body);
    return promise;
  }
}

/** Of values in any order. */
function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999) };
}

async function run(order: OpenLoadOrder): Promise<OpenLoadResult> {
  const played = new Run(order);
  await played.play();
  const { whole, first, gaps, failures, firstFailure } = played;
  const [ofWhole, ofFirst, ofGaps] = [percentiles(whole), percentiles(first), percentiles(gaps)];
  return { requests: whole.length, failures, firstFailure, whole: ofWhole, first: ofFirst, gaps: ofGaps };
}

process.on('message', (order: OpenLoadOrder) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
