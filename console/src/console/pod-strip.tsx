/** How a pod was in each bin of the range: a strip of bars, whose heights say the same as their colors. */
import type { Schemas } from '../settings/session.ts';
import { type Bins, binText } from './past.ts';

/** By letter: what it is called, the class of its bar, and its height of 24. */
const STATES: Readonly<Record<string, readonly [text: string, look: string, height: number]>> = {
  u: ['up', 'up', 24],
  p: ['partly up', 'part-up', 16],
  d: ['down', 'down', 24],
  o: ['kept from orders', 'kept', 8],
  '-': ['not seen', 'unmeasured', 3],
};

/** The strip of one pod, and what it counts. */
export function PodStrip({ pod: { pod, states }, bins }: { readonly pod: Schemas['PastPod']; readonly bins: Bins }) {
  const letters = [...states];
  const counts = Object.entries(STATES)
    .map(([letter, [text]]) => [text, letters.filter((one) => one === letter).length] as const)
    .filter(([, count]) => count > 0);
  const said = counts.map(([text, count]) => `${text} in ${count}`).join(', ');
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${letters.length * 4} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${pod}, of ${letters.length} periods: ${said}`}
    >
      {letters.map((letter, bin) => {
        const [text, look, height] = STATES[letter] ?? ['not seen', 'unmeasured', 3];
        return (
          <rect key={bin} x={bin * 4} y={24 - height} width={3} height={height} class={look}>
            <title>{`${binText(bins, bin)}: ${text}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** What the bars mean. */
export function StripKey() {
  return (
    <span class="choices small faint" aria-hidden="true">
      {Object.values(STATES).map(([text, look]) => (
        <span key={text}>
          <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
            <rect width={10} height={10} class={look} />
          </svg>{' '}
          {text}
        </span>
      ))}
    </span>
  );
}
