/** A part of a screen: a heading, what one request gave, and that request. It has a state for each way this can go. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Asking } from '../data/model.ts';
import { usePolled } from '../data/polled.ts';
import { type Sheet, Source } from './source.tsx';
import { Failure, Loading } from './states.tsx';

interface SectionProps<T> {
  readonly title: string;
  /** One sentence for those who see this for the first time. */
  readonly about?: string;
  readonly asking: Asking<T>;
  readonly everyMs: number;
  /** What a reader may choose, in the row of the heading. */
  readonly choices?: ComponentChildren;
  readonly sheet?: (value: T) => Sheet;
  readonly children: (value: T) => ComponentChildren;
}

/** Asks while it is shown, and shows the last answer; faded, while another choice of the reader is on its way. */
export function FiguresSection<T>({ title, about, asking, everyMs, choices, sheet, children }: SectionProps<T>) {
  const { value, failure } = usePolled(asking.path, asking.ask, everyMs);
  const last = useRef(value);
  last.current = value ?? last.current;
  const shown = last.current;
  return (
    <section class="panel" aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {choices}
      </div>
      {about && <p class="faint small">{about}</p>}
      {failure && <Failure sentence={failure} />}
      {shown === null ? (
        !failure && <Loading lines={4} />
      ) : (
        <div class={value === null ? 'stale' : ''} aria-busy={value === null}>
          {children(shown)}
        </div>
      )}
      <Source path={asking.path} {...(sheet && shown !== null ? { sheet: sheet(shown) } : {})} />
    </section>
  );
}
