/**
 * Tables. Columns that matter less leave where there is little room, and on a phone each row is a card. A table with a
 * name for its order sorts by its headings and keeps that in the address. Of a wide table the reader chooses the columns.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useText } from '../address.ts';
import { ColumnChoice, useChosen } from './columns.tsx';
import { Scrolled } from './scrolled.tsx';

/** A column. The first one names the row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligned to the right, and not wrapped. */
  readonly number?: boolean;
  /** How much room there must be. On a phone a card has every column, one of many cards only those without it. */
  readonly room?: 'some' | 'much';
  /** On a phone, where rows are cards then, it has a line of the card to itself. */
  readonly whole?: boolean;
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
/** A table with more rows scrolls below its heading; on a phone it shows the first cards until it is asked for all. */
const ROWS_OF_PAGE = 40;
/** As style.css has it. */
const CARDS_OF_PHONE = 20;

/** Of fewer columns besides the first there is nothing to choose. */
const CHOSEN_FROM = 5;

/** The table, which scrolls if it must. */
export function DataTable<Row>({ label, rows, keyOf, columns, classOf, order = '' }: TableProps<Row>) {
  const all = useMemo(() => columns.filter((column) => column !== false), [columns]);
  const { chosen, choose } = useChosen(label, order);
  const shown = useMemo(() => shownOf(all, chosen), [all, chosen]);
  const heads = all.slice(1).flatMap(({ head, unheaded }) => (unheaded ? [] : [head]));
  const sorting = useSorting(order, all);
  const [isWhole, setWhole] = useState(false);
  const isLong = rows.length > ROWS_OF_PAGE;
  const areCards = shown.length > COLUMNS_OF_PHONE || shown.some(({ whole }) => whole);
  return (
    <>
      {order !== '' && <Sorter {...{ label, sorting }} columns={all} />}
      {heads.length >= CHOSEN_FROM && <ColumnChoice {...{ label, heads, chosen }} onChoose={choose} />}
      <Scrolled label={label} isLong={isLong}>
        <table class={areCards ? `cards ${isLong && !isWhole ? 'first' : ''}` : ''}>
          <thead>
            <tr>
              {shown.map((column) => (
                <Head key={column.head} column={column} sorting={order === '' ? null : sorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorting.sorted(rows).map((row) => (
              <TableRow key={keyOf(row)} row={row} columns={shown} look={classOf?.(row)} />
            ))}
          </tbody>
        </table>
      </Scrolled>
      {isLong && areCards && (
        <button type="button" class="button all-cards" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${rows.length - CARDS_OF_PHONE} more`}
        </button>
      )}
    </>
  );
}

/** The first column names the row and stays. Chosen ones are there whatever room there is. */
function shownOf<Row>(all: readonly Column<Row>[], chosen: ReadonlySet<string> | null): readonly Column<Row>[] {
  if (chosen === null) return all;
  return all
    .filter(({ head, unheaded }, at) => at === 0 || unheaded || chosen.has(head))
    .map(({ room, ...column }) => column);
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly look: string | undefined;
}

/** Of hundreds of rows few change at a time: the same row in the same columns is not drawn again. */
function TableRow<Row>({ row, columns, look }: TableRowProps<Row>) {
  return useMemo(() => {
    const [first, ...others] = columns;
    return (
      <tr class={look}>
        {first && (
          <th scope="row" class={classesOf(first)}>
            {first.cell(row)}
          </th>
        )}
        {others.map((column) => (
          <td key={column.head} class={classesOf(column)} data-head={column.unheaded ? undefined : column.head}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
    );
  }, [row, columns, look]);
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

function classesOf({ number, room, whole }: Pick<Column<never>, 'number' | 'room' | 'whole'>): string {
  return [number ? 'number' : '', room ? `room-${room}` : '', whole ? 'whole' : '']
    .filter((name) => name !== '')
    .join(' ');
}
