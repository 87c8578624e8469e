/** A page of the console that one request gives: its heading, what the request gave, and the request itself. */
import type { ComponentChildren } from 'preact';
import { useSource } from '../data/polled.ts';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { type Sheet, Source } from '../parts/source.tsx';

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

/** Asks while it is shown. */
export function FiguresPage<T>({ title, path, ask, everyMs, beside, sheet, children, below }: FiguresPageProps<T>) {
  const source = useSource(path, ask, everyMs);
  const { value } = source.asked.value;
  return (
    <>
      <Heading title={title}>{value !== null && beside?.(value)}</Heading>
      <Shown source={source}>{(shown) => children(shown, source.again)}</Shown>
      <Source path={path} {...(sheet && value !== null ? { sheet: sheet(value) } : {})} />
      {value !== null && below?.(value)}
    </>
  );
}
