/** Tables. Columns that matter less leave where there is little room, and on a phone each row is a card. */
import type { ComponentChildren } from 'preact';
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
  /** The heading is for readers of the screen only, as that of buttons. */
  readonly unheaded?: boolean;
}

interface TableProps<Row> {
  /** Names the table for readers of the screen. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** In their order. One that is false is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly classOf?: (row: Row) => string;
}

/** More columns than these do not fit beside each other on a phone. */
const COLUMNS_OF_PHONE = 3;

/** The table, which scrolls if it must. */
export function DataTable<Row>({ label, rows, keyOf, columns, classOf }: TableProps<Row>) {
  const [first, ...others] = columns.filter((column) => column !== false);
  if (!first) return null;
  return (
    <Scrolled label={label}>
      <table class={others.length < COLUMNS_OF_PHONE ? '' : 'cards'}>
        <thead>
          <tr>
            {[first, ...others].map((column) => (
              <th key={column.head} scope="col" class={classesOf(column)} title={column.title}>
                {column.unheaded ? <span class="hidden">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
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
  );
}

function classesOf({ number, room }: Pick<Column<never>, 'number' | 'room'>): string {
  return [number ? 'number' : '', room ? `room-${room}` : ''].filter((name) => name !== '').join(' ');
}
