/** What the benchmarks should reach, and the table that says what they did. */

/** The figures of the benchmarks, and of the HTTP path once more on MariaDB. */
export interface Measured {
  readonly figures: ReadonlyMap<string, number>;
  readonly onMariadb: ReadonlyMap<string, number>;
}

/** What a row says whose figure no benchmark gave. */
export const NOT_MEASURED = 'not measured';

interface Target {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  readonly bound: number;
  readonly atMost: boolean;
  /** NaN when it was not measured. */
  readonly of: (measured: Measured) => number;
  /** The section of docs/understand/benchmarks.md that says, with a profile, what stands in the way when it is missed, and what was tried. */
  readonly explainedIn?: string;
}

const named =
  (name: string) =>
  ({ figures }: Measured): number =>
    figures.get(name) ?? Number.NaN;

/** Of a scenario of the HTTP path. */
const http = (what: string, scenario: string, figure: string, bound: number): Target => ({
  ...{ what: `${what}: ${scenario}`, unit: '', digits: 2, bound, atMost: figure === '÷ floor' },
  of: named(`http: ${scenario}: ${figure}`),
  explainedIn: 'beside-the-floor',
});
const floor = (scenario: string, bound: number) => http('processor time ÷ floor', scenario, '÷ floor', bound);
const peer = (scenario: string, bound: number) => http('rate ÷ Portkey', scenario, '÷ peer', bound);

/** `unit` may say how many digits are shown: `ms 2`. */
const atMost = (what: string, name: string, bound: number, shown: string): Target => ({
  ...{ what, unit: shown.split(' ')[0] ?? '', digits: Number(shown.split(' ')[1] ?? 0), bound, atMost: true },
  of: named(name),
});
const atLeast = (what: string, name: string, bound: number, unit: string): Target => ({
  ...{ what, unit, digits: 0, bound, atMost: false },
  of: named(name),
});

const EACH = 'http: stream, 50 chunks one by one, 64';
const router = (name: string, bound: number): Target => ({
  ...{ what: `rate ÷ ${name}: stream, 50 chunks one by one, 64`, unit: '', digits: 2, bound, atMost: false },
  of: named(`${EACH}: ÷ ${name}`),
  explainedIn: 'beside-the-floor',
});

/** Added to a direct call at a fixed rate: to the whole answer, of streams to the first token. */
const openLoop = (arrivals: string, bounds: Readonly<Record<string, number>>): Target[] =>
  Object.entries(bounds).map(([share, bound]) => {
    const name = `open loop: ${arrivals}/s: added ${share} ms`;
    return atMost(`added at ${arrivals}/s, ${share}`, name, bound, 'ms 1');
  });

const mariadb = (scenario: string): Target => ({
  ...{ what: `MariaDB ÷ SQLite: ${scenario}`, unit: '', digits: 2, bound: 0.6, atMost: false },
  of({ figures, onMariadb }) {
    const name = `http: ${scenario}: rate`;
    return (onMariadb.get(name) ?? Number.NaN) / (figures.get(name) ?? Number.NaN);
  },
  explainedIn: 'mariadb-instead-of-sqlite',
});

/** Every target, in the order of the table. */
export const targets: readonly Target[] = [
  floor('unary, 8 chunks, 20', 2.5),
  floor('unary, 8 chunks, 64', 2),
  floor('unary, 50 chunks, 20', 2),
  floor('unary, 50 chunks, 64', 1.6),
  floor('stream, 50 chunks together, 20', 2),
  floor('stream, 50 chunks together, 64', 1.6),
  router('vllm-router', 1.1),
  router('smg', 1.2),
  {
    ...atMost('processor time ÷ smg: stream, 50 chunks one by one, 64', `${EACH}: processor time ÷ smg`, 1.15, ' 2'),
    explainedIn: 'beside-the-floor',
  },
  peer('unary, 8 chunks, 20', 3.8),
  peer('unary, 8 chunks, 64', 4.2),
  peer('unary, 50 chunks, 20', 3.5),
  peer('unary, 50 chunks, 64', 3.5),
  peer('stream, 50 chunks together, 20', 7),
  peer('stream, 50 chunks together, 64', 4.5),
  peer('stream, 50 chunks one by one, 20', 2.5),
  peer('stream, 50 chunks one by one, 64', 2),
  atMost('added at one connection, p50', 'http: one connection: added ms', 1.3, 'ms 2'),
  atMost('openapi-backend: processor time more an order', 'dispatch: µs more an order', 3, 'µs 2'),
  ...openLoop('unary, 400', { p50: 1.5, p99: 5, p999: 15 }),
  ...openLoop('unary, 1000', { p50: 2, p99: 10, p999: 30 }),
  ...openLoop('streams, 200', { p50: 2, p99: 8 }),
  atMost('gap between tokens at 200 streams/s, p99', 'open loop: streams: gap p99 ms', 5, 'ms 1'),
  atMost('1,000 streams of 30 tokens a second: dropped', 'long streams: dropped', 0, ''),
  atMost('gap between their tokens, p99', 'long streams: gap p99 ms', 50, 'ms'),
  atMost('resident memory with them, at most', 'long streams: MiB', 300, 'MiB'),
  mariadb('unary, 8 chunks, 20'),
  mariadb('unary, 8 chunks, 64'),
  atLeast('MariaDB 2 ms away, journal, 64 in flight', 'mariadb: orders a second, 2 ms away', 600, 'orders/s'),
  atMost('start to the first answer, empty', 'start: first answer ms, empty', 1_000, 'ms'),
  atMost('start to the first answer, a million orders', 'start: first answer ms, many', 3_000, 'ms'),
  atMost('resident memory, idle', 'start: idle MiB', 140, 'MiB'),
  {
    ...atMost('resident memory, 64 connections', 'start: loaded MiB', 250, 'MiB'),
    explainedIn: 'a-start-and-memory',
  },
  atMost('start to the first answer, 1,000 models', 'start: first answer ms, models', 3_000, 'ms'),
  atMost('resident memory, 1,000 idle models', 'start: idle MiB, models', 286, 'MiB'),
  atMost('/v1/models of 1,000', 'start: /v1/models ms, models', 50, 'ms'),
  atMost('/metrics of 1,000 models', 'start: /metrics ms, models', 200, 'ms'),
  atLeast('book of a million: mixed operations', 'book: mixed operations a second', 750_000, 'a second'),
  atMost('book of a million: bytes an order', 'book: bytes', 236, 'bytes'),
  atMost('level and quote, a million resting: a tick', 'exchange: tick ms', 2, 'ms 2'),
  atMost('30 days of candles, p95', 'history: 30 days of candles, p95 ms', 30, 'ms 1'),
  atMost('lists of a million orders, slowest page', 'lists: slowest page ms', 20, 'ms 1'),
  {
    ...{ what: 'cluster on, one gateway: processor time ÷ off', unit: '', digits: 2, bound: 1.1, atMost: true },
    of: (measured) => named('cluster: one µs')(measured) / named('cluster: alone µs')(measured),
  },
  {
    ...{ what: 'eight gateways ÷ one: processor time of an order', unit: '', digits: 2, bound: 1.25, atMost: true },
    of: (measured) => named('cluster: eight µs')(measured) / named('cluster: one µs')(measured),
    explainedIn: 'several-gateways',
  },
  atMost('metrics on: processor time ÷ off', 'metrics on: processor time ÷ off', 1.03, ' 3'),
  atMost('live heap after the soak ÷ after its first fifth', 'soak: live heap ÷ early', 1.1, ' 2'),
];

/**
 * The rows of the table: what, measured, target, and whether it is reached; where it is missed, also the section of
 * docs/understand/benchmarks.md that says why.
 */
export function verdicts(measured: Measured): string[][] {
  return targets.map((target) => {
    const { what, unit, digits, bound, atMost, of } = target;
    const figure = of(measured);
    const shown = (value: number, most = digits) =>
      `${value.toLocaleString('en', { maximumFractionDigits: most })}${unit && ` ${unit}`}`;
    const asked = `${atMost ? '≤' : '≥'} ${shown(bound, 2)}`;
    if (Number.isNaN(figure)) return [what, NOT_MEASURED, asked, ''];
    const isReached = atMost ? figure <= bound : figure >= bound;
    return [what, shown(figure), asked, isReached ? 'yes' : missed(target)];
  });
}

function missed({ explainedIn }: Target): string {
  return explainedIn === undefined ? 'NO' : `NO: [why](#${explainedIn})`;
}
