/** A part of a screen: a heading, what one request gave, and that request. It has a state for each way this can go. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Asking } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { Shown } from './shown.tsx';
import { type Sheet, Source } from './source.tsx';

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

/** Asks once, and again while it is near the view. */
export function FiguresSection<T>({ title, about, asking, everyMs, choices, sheet, children }: SectionProps<T>) {
  const section = useRef<HTMLElement>(null);
  const source = useSource(asking.path, asking.ask, everyMs, section);
  const { value } = source.asked.value;
  return (
    <section ref={section} class="panel" aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {choices}
      </div>
      {about && <p class="faint small">{about}</p>}
      <Shown source={source} lines={4}>
        {children}
      </Shown>
      <Source path={asking.path} {...(sheet && value !== null ? { sheet: sheet(value) } : {})} />
    </section>
  );
}
