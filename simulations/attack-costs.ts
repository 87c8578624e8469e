/** The table in docs/understand/market.md: what each attack costs, and what it moves. `npm run market-page` writes it. */
import { HOUR_MS } from '#base/time.ts';
import { attacks } from './attacks.ts';
import { markdownTable } from './markdown-table.ts';
import { besideQuiet } from './requirements.ts';

const BEGIN = '<!-- written by `npm run market-page` -->';
const END = '<!-- end of what is written -->';
/** An hour of a market of this many slots, after half an hour without the attack. */
const DAY = { slots: 64, measuredMs: HOUR_MS } as const;
const COLUMNS = [
  'attack',
  'cost, of the revenue',
  'slot time used',
  'level',
  'quote',
  'highest quote',
  'others pay',
  'their clear rate',
] as const;

/** The table, of days with this seed. The same seed gives the same bytes. */
export function attackCosts(seed: number): string {
  const rows = attacks.map((attack) => {
    const { attacked, quiet } = besideQuiet({ ...DAY, seed }, attack);
    const moved = (figure: 'level' | 'quote' | 'othersPaid') => signed(attacked[figure] / quiet[figure] - 1);
    return [
      attack.name,
      percent(attacked.attackCostPerHour / quiet.revenuePerHour),
      percent(attacked.attackShare),
      moved('level'),
      moved('quote'),
      `${(attacked.quoteMax / quiet.quote).toFixed(1)}×`,
      moved('othersPaid'),
      attacked.clearRate.toFixed(3),
    ];
  });
  return markdownTable(COLUMNS, rows);
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

/** What is wrong with the shape of such a table: other columns, or rows that are not those of the attacks. */
export function shapeFaults(table: string): string[] {
  const cells = (line: string) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1);
  const [head = '', , ...lines] = table.split('\n');
  const faults = cells(head).join() === COLUMNS.join() ? [] : [`columns ${cells(head).join()}`];
  const names = lines.map((line) => cells(line)[0]);
  if (names.join() !== attacks.map(({ name }) => name).join()) faults.push(`attacks ${names.join()}`);
  const shape = /^\d+\.\d %,\d+\.\d %,[+-]\d+\.\d %,[+-]\d+\.\d %,\d+\.\d×,[+-]\d+\.\d %,[01]\.\d{3}$/;
  return [...faults, ...lines.filter((line) => !shape.test(cells(line).slice(1).join()))];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function signed(share: number): string {
  return `${share < 0 ? '' : '+'}${percent(share)}`;
}
