/**
 * Bars of stacked parts over time. They are HTML: each is a link to what it sums, and no library has to be loaded. The
 * chart has one stop of the Tab key; the arrow keys move from bar to bar.
 */
import { useRef, useState } from 'preact/hooks';
import type { Stack } from './stack.ts';

/** What a part looks like; `series-…` where it is not one of a status. */
type Tone = 'rise' | 'fall' | 'warn' | 'accent';

interface StackedBarsProps {
  /** What it is, for those who cannot see it. */
  readonly label: string;
  readonly stack: Stack;
  /** Of the parts, by their place; others get a series of colors. */
  readonly tones?: readonly Tone[];
  readonly format: (value: number) => string;
  /** What the moment of a bar is called. */
  readonly timeText: (atMs: number) => string;
  /** Where a bar leads to. */
  readonly linkOf: (atMs: number) => string;
  readonly height?: number;
}

/** The bars, and below them what they are: of the one that is pointed at, else of all together. */
export function StackedBars({ label, stack, tones, format, timeText, linkOf, height = 160 }: StackedBarsProps) {
  const { names, bars } = stack;
  const [pointed, point] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const most = Math.max(...bars.map(({ parts }) => sumOf(parts)), 0);
  const toneOf = (part: number) => `part part-${tones?.[part] ?? part}`;
  const stop = Math.min(pointed ?? bars.length - 1, bars.length - 1);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: bars.length - 1 }[event.key];
    const bar = to === undefined ? undefined : place.current?.querySelectorAll('a')[to];
    if (!bar) return;
    event.preventDefault();
    bar.focus();
  };
  return (
    <figure class="bars" aria-label={label}>
      <span class="most faint">{format(most)}</span>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links inside. */}
      <div
        class="plot"
        ref={place}
        style={{ height: `${height}px` }}
        onKeyDown={move}
        onPointerLeave={() => point(null)}
      >
        {bars.map(({ atMs, parts }, at) => (
          <a
            key={atMs}
            class="column"
            href={linkOf(atMs)}
            tabIndex={at === stop ? 0 : -1}
            aria-label={`${timeText(atMs)}: ${format(sumOf(parts))}`}
            onPointerEnter={() => point(at)}
            onFocus={() => point(at)}
            onBlur={() => point(null)}
          >
            {parts.map((value, part) =>
              value > 0 ? (
                <span key={names[part]} class={toneOf(part)} style={{ height: `${(100 * value) / most}%` }} />
              ) : null,
            )}
          </a>
        ))}
      </div>
      <div class="bar-ends faint">
        {[0, Math.floor((bars.length - 1) / 2), bars.length - 1].map((at) => (
          <span key={at}>{timeText(bars[at]?.atMs ?? 0)}</span>
        ))}
      </div>
      <figcaption>
        <Legend
          head={pointed === null ? 'In all' : timeText(bars[pointed]?.atMs ?? 0)}
          names={names}
          parts={pointed === null ? totalsOf(stack) : (bars[pointed]?.parts ?? [])}
          {...{ toneOf, format }}
        />
      </figcaption>
    </figure>
  );
}

interface LegendProps {
  readonly head: string;
  readonly names: readonly string[];
  readonly parts: readonly number[];
  readonly toneOf: (part: number) => string;
  readonly format: (value: number) => string;
}

function Legend({ head, names, parts, toneOf, format }: LegendProps) {
  return (
    <>
      <strong>
        {head}: {format(sumOf(parts))}
      </strong>
      {names.map((name, part) => (
        <span key={name} class="legend">
          <span class={toneOf(part)} /> {name} <span class="faint">{format(parts[part] ?? 0)}</span>
        </span>
      ))}
    </>
  );
}

function totalsOf({ names, bars }: Stack): number[] {
  return names.map((_, part) => bars.reduce((sum, { parts }) => sum + (parts[part] ?? 0), 0));
}

/** Sums of dollars have errors of their binary fractions; below a nano-dollar there is nothing. */
function sumOf(parts: readonly number[]): number {
  return Number(parts.reduce((sum, part) => sum + part, 0).toFixed(9));
}
