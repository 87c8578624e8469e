/** What a source gives, in each of its states: on its way, failed, there, and there but old. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { nowMs, repeatedly } from '../clock.ts';
import type { Polled } from '../data/polled.ts';
import { duration } from '../format.ts';
import { Failure, Loading } from './states.tsx';

interface ShownProps<T> {
  readonly source: Polled<T>;
  /** About how much room it will take. */
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}

/**
 * The last answer stays while the next one is on its way or fails, also one to another question. Figures that are not of
 * now are dimmed, and after a failure their age is beside its sentence.
 */
export function Shown<T>({ source, lines, children }: ShownProps<T>) {
  const { value, failure, atMs, isOld } = source.asked.value;
  const last = useRef(value);
  last.current = value ?? last.current;
  const shown = last.current;
  return (
    <>
      {failure !== null && (
        <Failure sentence={failure} retry={() => void source.refresh()}>
          {atMs !== null && <AsOf ms={atMs} />}
        </Failure>
      )}
      {shown !== null ? (
        <div class={failure !== null || value === null || isOld ? 'shown stale' : 'shown'} aria-busy={value === null}>
          {children(shown)}
        </div>
      ) : (
        failure === null && <Loading {...(lines === undefined ? {} : { lines })} />
      )}
    </>
  );
}

/** How old figures are, by the second. */
function AsOf({ ms }: { readonly ms: number }) {
  const [now, set] = useState(nowMs);
  useEffect(() => repeatedly(1000, () => set(nowMs())), []);
  return <>What is below is as of {duration(Math.max(0, now - ms - ((now - ms) % 1000)))} ago. </>;
}
