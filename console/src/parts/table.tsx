/**
 * Tables. Columns that matter less leave where there is little room, and on a phone each row is a card. A table with a
 * name for its order sorts by its headings and keeps that in the address.
 */
import type { ComponentChildren } from 'preact';
import { useText } from '../address.ts';
import { Scrolled } from './scrolled.tsx';

/** A column. The first one names the row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligned to the right, and not wrapped. */
  readonly number?: boolean;
  /** How much room there must be. On a phone a card has every column. */
  readonly room?: 'some' | 'much';
  /** Shown where the reader points to the heading. */
  readonly title?: string;
  /** Beside the heading. */
  readonly hint?: ComponentChildren;
  /** The heading is for readers of the screen only, as that of buttons. */
  readonly unheaded?: boolean;
  /** By what rows are sorted, numbers the greatest first; null is always last. Without it, the column sorts nothing. */
  readonly sort?: (row: Row) => number | string | null;
}

interface TableProps<Row> {
  /** Names the table for readers of the screen. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** In their order. One that is false is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly classOf?: (row: Row) => string;
  /** Under which name the address keeps the order that the reader chose; without it, rows stay as they are. */
  readonly order?: string;
}

/** More columns than these do not fit beside each other on a phone. */
const COLUMNS_OF_PHONE = 3;
/** A table with more rows scrolls below its heading. */
const ROWS_OF_PAGE = 40;

/** The table, which scrolls if it must. */
export function DataTable<Row>({ label, rows, keyOf, columns, classOf, order = '' }: TableProps<Row>) {
  const [first, ...others] = columns.filter((column) => column !== false);
  const sorting = useSorting(order, first ? [first, ...others] : []);
  if (!first) return null;
  return (
    <>
      {order !== '' && <Sorter {...{ label, sorting }} columns={[first, ...others]} />}
      <Scrolled label={label} isLong={rows.length > ROWS_OF_PAGE}>
        <table class={others.length < COLUMNS_OF_PHONE ? '' : 'cards'}>
          <thead>
            <tr>
              {[first, ...others].map((column) => (
                <Head key={column.head} column={column} sorting={order === '' ? null : sorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorting.sorted(rows).map((row) => (
              <tr key={keyOf(row)} class={classOf?.(row)}>
                <th scope="row" class={classesOf(first)}>
                  {first.cell(row)}
                </th>
                {others.map((column) => (
                  <td key={column.head} class={classesOf(column)} data-head={column.unheaded ? undefined : column.head}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

/** The order of a table: by which column, and whether from its other end. */
interface Sorting<Row> {
  readonly by: string;
  readonly isReversed: boolean;
  readonly choose: (text: string) => void;
  readonly sorted: (rows: readonly Row[]) => readonly Row[];
}

function useSorting<Row>(order: string, columns: readonly Column<Row>[]): Sorting<Row> {
  const [text, choose] = useText(order);
  const isReversed = text.startsWith('-');
  const by = isReversed ? text.slice(1) : text;
  const value = order === '' ? undefined : columns.find(({ head }) => head === by)?.sort;
  return {
    ...{ by, isReversed, choose },
    sorted: (rows) => (value ? rows.toSorted((one, other) => compared(value(one), value(other), isReversed)) : rows),
  };
}

/** Numbers from the greatest, texts from A. What is not known comes last either way. */
function compared(one: number | string | null, other: number | string | null, isReversed: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const forward = typeof one === 'number' ? Number(other) - one : one.localeCompare(String(other));
  return isReversed ? -forward : forward;
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  /** Null where the table does not sort. */
  readonly sorting: Sorting<Row> | null;
}

function Head<Row>({ column, sorting }: HeadProps<Row>) {
  const { head, title, unheaded, hint, sort } = column;
  if (!sorting || !sort || unheaded)
    return (
      <th scope="col" class={classesOf(column)} title={title}>
        {unheaded ? <span class="hidden">{head}</span> : head}
        {hint}
      </th>
    );
  const { by, isReversed, choose } = sorting;
  const isBy = by === head;
  const falls = isBy && (column.number ? !isReversed : isReversed);
  return (
    <th
      scope="col"
      class={classesOf(column)}
      title={title}
      aria-sort={isBy ? (falls ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="sort" onClick={() => choose(isBy ? (isReversed ? '' : `-${head}`) : head)}>
        {head}
        {isBy && <span aria-hidden="true">{falls ? ' ↓' : ' ↑'}</span>}
      </button>
      {hint}
    </th>
  );
}

/** On phones, where the headings are gone. */
function Sorter<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting<Row>;
}) {
  const { label, columns, sorting } = props;
  const names = columns.flatMap(({ head, sort }) => (sort ? [head, `-${head}`] : []));
  return (
    <select
      class="sorter"
      aria-label={`Order of ${label.toLowerCase()}`}
      value={sorting.isReversed ? `-${sorting.by}` : sorting.by}
      onChange={({ currentTarget }) => sorting.choose(currentTarget.value)}
    >
      <option value="">Order as listed</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name.startsWith('-') ? `${name.slice(1)}, reversed` : name}
        </option>
      ))}
    </select>
  );
}

function classesOf({ number, room }: Pick<Column<never>, 'number' | 'room'>): string {
  return [number ? 'number' : '', room ? `room-${room}` : ''].filter((name) => name !== '').join(' ');
}
