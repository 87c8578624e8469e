/** The life of an order as a line: how long it waited, until its first token, and until it was done. */
import { nowMs } from '../clock.ts';
import { duration } from '../format.ts';
import { Moment } from '../parts/figures.tsx';
import type { Schemas } from './session.ts';

type Steps = Schemas['OrderDetails']['timeline'];

/** What the time before each step was spent with. */
const BEFORE: Readonly<Record<string, { readonly text: string; readonly look: string }>> = {
  admitted: { text: 'Waited', look: 'warn' },
  'first token': { text: 'First token', look: 'accent' },
  settled: { text: 'Answer', look: 'rise' },
};
const ENDED = { text: 'Until its end', look: 'fall' };
const WAITS = { text: 'Waits', look: 'warn' };
const RUNS = { text: 'Runs', look: 'accent' };

/** The line, and each step with its moment. */
export function Waterfall({ steps, isOver }: { readonly steps: Steps; readonly isOver: boolean }) {
  const spans = spansOf(steps, isOver);
  const allMs = Math.max(
    1,
    spans.reduce((sum, { ms }) => sum + ms, 0),
  );
  const begin = Date.parse(steps[0]?.at ?? '');
  return (
    <>
      <div class="waterfall">
        {spans.map(({ text, look, ms }) => (
          <span key={text} class={`part-${look}`} style={{ flexGrow: String(ms / allMs) }} />
        ))}
      </div>
      <p class="readout">
        {spans.map(({ text, look, ms }) => (
          <span key={text}>
            <span class={`swatch swatch-${look}`} /> {text} <b>{duration(ms)}</b>
          </span>
        ))}
      </p>
      <ol class="timeline" aria-label="Timeline">
        {steps.map(({ at, what }) => (
          <li key={what}>
            <span class="what">{what}</span> <Moment ms={Date.parse(at)} />
            {Date.parse(at) > begin && <span class="faint"> after {duration(Date.parse(at) - begin)}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** What is going on now counts until now. */
function spansOf(steps: Steps, isOver: boolean) {
  const spans = steps.slice(1).flatMap(({ at, what }, before) => {
    const ms = Math.max(0, Date.parse(at) - Date.parse(steps[before]?.at ?? at));
    const last = before === steps.length - 2;
    const known = BEFORE[what] ?? (isOver && last && !steps.some((step) => step.what === 'settled') ? ENDED : null);
    return known ? [{ ...known, ms }] : [];
  });
  const last = steps.at(-1);
  if (isOver || !last) return spans;
  return [...spans, { ...(last.what === 'submitted' ? WAITS : RUNS), ms: Math.max(0, nowMs() - Date.parse(last.at)) }];
}
