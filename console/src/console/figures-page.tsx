/** A page of the console that one request gives: its heading, what the request gave, and the request itself. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { type Sheet, Source } from '../parts/source.tsx';
import { Failure, Loading } from '../parts/states.tsx';

interface FiguresPageProps<T> {
  readonly title: string;
  /** The address of the request; another one is asked for at once. */
  readonly path: string;
  readonly ask: () => Promise<T>;
  readonly everyMs: number;
  /** What stands beside the heading. */
  readonly beside?: (value: T) => ComponentChildren;
  readonly sheet?: (value: T) => Sheet;
  /** What is shown; `again` loads it again, after a change. */
  readonly children: (value: T, again: () => Promise<void>) => ComponentChildren;
  /** What stands below the request, because it is not of it. */
  readonly below?: (value: T) => ComponentChildren;
}

/** Asks while it is shown. The last answer stays while the next one is on its way or fails. */
export function FiguresPage<T>({ title, path, ask, everyMs, beside, sheet, children, below }: FiguresPageProps<T>) {
  const source = useMemo(() => polled(ask, everyMs), [path]);
  useEffect(() => source.start(), [source]);
  const { value, failure } = source.asked.value;
  const last = useRef(value);
  last.current = value ?? last.current;
  const shown = last.current;
  // An earlier call may not know of the change yet.
  const again = () => source.refresh().then(() => source.refresh());
  return (
    <>
      <div class="head">
        <h1>{title}</h1>
        {shown !== null && beside?.(shown)}
      </div>
      {failure && <Failure sentence={failure} retry={() => void source.refresh()} />}
      {shown === null ? (
        !failure && <Loading />
      ) : (
        <div class={value === null ? 'stale' : ''} aria-busy={value === null}>
          {children(shown, again)}
        </div>
      )}
      <Source path={path} {...(sheet && shown !== null ? { sheet: sheet(shown) } : {})} />
      {shown !== null && below?.(shown)}
    </>
  );
}
