/** What a hostile soak prints: a line for each life, and tables at the end. */
import { markdownTable } from '#simulations/markdown-table.ts';
import type { Judged } from '../../harness/books.ts';
import type { Ledger } from '../../harness/ledger.ts';
import { row } from '../../harness/table.ts';
import { growthOf, type MemorySample } from '../memory.ts';
import type { Life } from './lives.ts';

/** Everything about a run that has ended. */
export interface Outcome {
  readonly database: 'SQLite' | 'MariaDB';
  readonly lives: readonly Life[];
  readonly shown: ReadonlyMap<string, number>;
  readonly ledger: Ledger;
  readonly books: Judged;
}

const MEBI = 2 ** 20;
const WIDTHS = [6, 4, 10, 8, 8, 8, 8, 8, 12, 12, 6];

/** The heading of the lines of lives. */
export const HEADING =
  'minute  life  restart ms   lived s   answers  receipts   audited  audit ms  heap end MiB  resident MiB   found';

/** One life. Answers and receipts are counted from the beginning. */
export function lifeLine(life: Life, ledger: Ledger): string {
  const { number, minute, restartMs, lastedMs, memory, audited } = life;
  return row(WIDTHS, [
    ...[minute.toFixed(1), number, restartMs.toFixed(0), (lastedMs / 1000).toFixed(1), ledger.total],
    ...[ledger.charges.size, audited?.orders ?? 'failed', audited?.ms.toFixed(0) ?? ''],
    ...[mebi(memory?.heapBytes), mebi(memory?.residentBytes), ledger.findings.length],
  ]);
}

/** Sentences about memory that grew from life to life, compared at the same age. */
export function memoryFindings(lives: readonly Life[]): string[] {
  return growthOf(samplesOf(lives)).map((sentence) => `at the end of lives of equal length ${sentence}`);
}

/** The tables. */
export function tables({ lives, shown, ledger, books }: Outcome): string {
  const restarts = lives.map(({ restartMs }) => restartMs);
  const figures = [
    ['lives, each ended by SIGKILL but the last', lives.length + 1],
    ['restart, median and longest ms', `${median(restarts)}, ${Math.max(0, ...restarts).toFixed(0)}`],
    ...[...ledger.acts].sort().map(([act, times]) => [act, times]),
    ['answers', ledger.total],
    ['orders in the database', books.orders],
    ['orders that were charged', books.charged],
    ['receipts that clients got, each in the books', ledger.charges.size],
    ['charged orders whose callers had gone or been cut off', books.unseen],
    ['keys that were charged, each once', ledger.keys.size],
    ['batches', ledger.batches.size],
    ['lines of batches', [...ledger.batches.values()].reduce((sum, lines) => sum + lines.length, 0)],
    ['detached orders, all ended', ledger.accepted.size],
    ['orders in the last audit', books.audited],
    ['longest wait for an answer that needs no model, ms', ledger.longestReadMs.toFixed(0)],
    ['heap at the end of a life, MiB: first fifth, last fifth', memory(lives, 'heapBytes')],
    ['resident at the end of a life, MiB: first fifth, last fifth', memory(lives, 'residentBytes')],
  ];
  return [
    markdownTable(
      ['what', 'figure'],
      figures.map((cells) => cells.map(String)),
    ),
    markdownTable(['the pods answered', 'times'], sorted(shown)),
    markdownTable(['clients were answered', 'times'], sorted(ledger.answers)),
    markdownTable(['by', 'requests'], sorted(ledger.lanes)),
  ].join('\n\n');
}

function samplesOf(lives: readonly Life[]): MemorySample[] {
  return lives.flatMap(({ memory: sample }) => sample ?? []);
}

function memory(lives: readonly Life[], of: keyof MemorySample): string {
  const values = samplesOf(lives).map((sample) => sample[of] / MEBI);
  const fifth = Math.max(1, Math.floor(values.length / 5));
  return `${median(values.slice(0, fifth))}, ${median(values.slice(-fifth))}`;
}

function sorted(counts: ReadonlyMap<string, number>): string[][] {
  return [...counts].sort(([, one], [, other]) => other - one).map(([name, times]) => [name, String(times)]);
}

function mebi(bytes: number | undefined): string {
  return bytes === undefined ? '' : (bytes / MEBI).toFixed(0);
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(0);
}
