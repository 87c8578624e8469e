/** The table in docs/understand/market.md: what each attack costs, and what it moves. `npm run market-page` writes it. */
import { HOUR_MS } from '#base/time.ts';
import { attacks } from './attacks.ts';
import { markdownTable } from './markdown-table.ts';
import { besideQuiet } from './requirements.ts';

const BEGIN = '<!-- written by `npm run market-page` -->';
const END = '<!-- end of what is written -->';
/** An hour of a market of this many slots, after half an hour without the attack. */
const DAY = { slots: 64, measuredMs: HOUR_MS } as const;
const COLUMNS = ['attack', 'cost, of the revenue', 'level', 'quote', 'highest quote', 'others pay'] as const;
/** The attacks with a row of their own: those that move most. */
const ROWS = 12;

/** What an attack costs as a share of the revenue, and by which share it moves the rest. */
interface AttackCost {
  readonly name: string;
  readonly cost: number;
  readonly level: number;
  readonly quote: number;
  /** Of the mean quote without the attack. */
  readonly quoteMax: number;
  readonly othersPay: number;
}

/** The table and a sentence on the attacks below it, of days with this seed. The same seed gives the same bytes. */
export function attackCosts(seed: number): string {
  return costsText(attacks.map((attack) => costOf(seed, attack)));
}

function costOf(seed: number, attack: (typeof attacks)[number]): AttackCost {
  const { attacked, quiet } = besideQuiet({ ...DAY, seed }, attack);
  return {
    name: attack.name,
    cost: attacked.attackCostPerHour / quiet.revenuePerHour,
    level: attacked.level / quiet.level - 1,
    quote: attacked.quote / quiet.quote - 1,
    quoteMax: attacked.quoteMax / quiet.quote,
    othersPay: attacked.othersPaid / quiet.othersPaid - 1,
  };
}

/** The table of the attacks that move level or quote most, and a sentence on the others. */
export function costsText(costs: readonly AttackCost[]): string {
  const moves = ({ level, quote }: AttackCost) => Math.max(Math.abs(level), Math.abs(quote));
  const sorted = costs.toSorted((one, two) => moves(two) - moves(one));
  const rows = sorted
    .slice(0, ROWS)
    .map(({ name, cost, level, quote, quoteMax, othersPay }) => [
      name,
      percent(cost),
      signed(level),
      signed(quote),
      `${quoteMax.toFixed(1)}×`,
      signed(othersPay),
    ]);
  const others = sorted.slice(ROWS);
  const most = (figure: 'level' | 'quote' | 'othersPay') =>
    percent(Math.max(0, ...others.map((cost) => Math.abs(cost[figure]))));
  const rest = `The other ${others.length} move the level by ${most('level')} at most, the quote by ${most('quote')}, and what others pay by ${most('othersPay')}.`;
  return `${markdownTable(COLUMNS, rows)}\n\n${rest}`;
}

/** What is between the marks of a page. Throws Error for a page without them. */
export function tableIn(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error('The page has no place for the table.');
  return page.slice(from + BEGIN.length, to).trim();
}

/** The page with another table. Throws like `tableIn`. */
export function withTable(page: string, table: string): string {
  const known = tableIn(page);
  return page.replace(`${BEGIN}\n${known}`, () => `${BEGIN}\n${table}`);
}

/** What is wrong with such a text: other columns, rows of unknown attacks, or too few of them in all. */
export function shapeFaults(text: string): string[] {
  const cells = (line: string) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1);
  const lines = text.split('\n');
  const rows = lines.slice(2, 2 + ROWS);
  const faults = cells(lines[0] ?? '').join() === COLUMNS.join() ? [] : [`columns ${lines[0]}`];
  const known = attacks.map(({ name }) => name);
  const shape = /^\d+\.\d %,[+-]\d+\.\d %,[+-]\d+\.\d %,\d+\.\d×,[+-]\d+\.\d %$/;
  const isRow = (line: string) => known.includes(cells(line)[0] ?? '') && shape.test(cells(line).slice(1).join());
  const rest = `The other ${known.length - ROWS} move the level by `;
  return [...faults, ...rows.filter((line) => !isRow(line)), ...(text.includes(rest) ? [] : [`no sentence "${rest}"`])];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function signed(share: number): string {
  return `${share < 0 ? '' : '+'}${percent(share)}`;
}
