/** A list that is shown a page at a time, the newest or first page first, and the request behind the page that is shown. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import type { Cell } from '../parts/export.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';

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
  /** The table; `again` loads it again, after a change. */
  readonly children: (rows: readonly Row[], again: () => Promise<void>) => ComponentChildren;
}

/** The list, with the way to its other pages. */
export function Paged<Row>({ name, path, load, empty, columns, cells, children }: PagedProps<Row>) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const source = useMemo(() => polled(() => load(cursor), EVERY_MS), [cursor]);
  useEffect(() => source.start(), [source]);
  const { value, failure } = source.asked.value;
  // An earlier call may not know of the change yet.
  const again = () => source.refresh().then(() => source.refresh());
  const next = value?.next_cursor ?? null;
  const shownPath =
    cursor === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
  return (
    <>
      {failure && <Failure sentence={failure} retry={() => void source.refresh()} />}
      {value === null ? (
        !failure && <Loading />
      ) : value.data.length > 0 ? (
        children(value.data, again)
      ) : (
        <Empty>{empty}</Empty>
      )}
      {(cursors.length > 0 || next !== null) && (
        <p class="row">
          {cursors.length > 0 && (
            <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
              Previous page
            </button>
          )}
          {next !== null && (
            <button type="button" class="button" onClick={() => setCursors([...cursors, next])}>
              Next page
            </button>
          )}
        </p>
      )}
      <Source
        path={shownPath}
        {...(value ? { sheet: { name, rows: () => [columns, ...value.data.map(cells)] } } : {})}
      />
    </>
  );
}
