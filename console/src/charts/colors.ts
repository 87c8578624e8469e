/** The colors of the page for charts, which draw on a canvas and cannot read the style sheet. */
import { useEffect, useState } from 'preact/hooks';

/** The colors of the style sheet, by the names that they have there. */
const NAMES = ['ink', 'faint', 'line', 'panel', 'accent', 'rise', 'fall', 'warn'] as const;

/** As `rgb(…)`, for the scheme that is shown now. */
export type Colors = Readonly<Record<(typeof NAMES)[number], string>>;

/** The colors; others when the reader switches between light and dark. */
export function useColors(): Colors {
  const [colors, set] = useState(colorsNow);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const change = () => set(colorsNow());
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, []);
  return colors;
}

function colorsNow(): Colors {
  // A variable reads as light-dark(…); only a property that uses it has the color.
  const probe = document.createElement('span');
  document.body.append(probe);
  const entries = NAMES.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Colors;
}

/** The same color, but seen through. `color` is `rgb(…)`. */
export function faded(color: string, alpha: number): string {
  return color.replace(/^rgb\((.+)\)$/, `rgba($1, ${alpha})`);
}
