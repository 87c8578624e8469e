/** A list that is shown a page at a time, the newest or first page first, and the request behind the page that is shown. */
import type { ComponentChildren } from 'preact';
import { useSource } from '../data/polled.ts';
import type { Cell } from '../parts/export.tsx';
import { PageButtons, usePages } from '../parts/pages.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';

const EVERY_MS = 15_000;

/** A page as the gateway gives it. */
interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next_cursor?: string | null;
}

interface PagedProps<Row> {
  /** Names the list, and the file that it is saved as. */
  readonly name: string;
  /** The address of the first page. Another list is another component: give it a `key`. */
  readonly path: string;
  readonly load: (cursor: string | undefined) => Promise<Page<Row>>;
  /** What is said of a list without rows. */
  readonly empty: string;
  readonly columns: readonly string[];
  readonly cells: (row: Row) => readonly Cell[];
  /** How often the page is loaded again; 15 seconds when absent. */
  readonly everyMs?: number;
  /** The table; `again` loads it again, after a change. */
  readonly children: (rows: readonly Row[], again: () => Promise<void>) => ComponentChildren;
}

/** The list, with the way to its other pages. */
export function Paged<Row>(props: PagedProps<Row>) {
  const { name, path, load, empty, columns, cells, everyMs = EVERY_MS, children } = props;
  const pages = usePages();
  const { cursor } = pages;
  const source = useSource(`${path} ${cursor}`, () => load(cursor), everyMs);
  const { value } = source.asked.value;
  const shownPath =
    cursor === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
  return (
    <>
      <Shown source={source}>
        {({ data }) => (data.length > 0 ? children(data, source.again) : <Empty>{empty}</Empty>)}
      </Shown>
      <PageButtons pages={pages} next={value?.next_cursor} />
      <Source
        path={shownPath}
        {...(value ? { sheet: { name, rows: () => [columns, ...value.data.map(cells)] } } : {})}
      />
    </>
  );
}
