/** A line without axes, in the height of a row. Gaps stay gaps. */

const WIDTH = 144;
const HEIGHT = 36;
const EDGE = 2;

/** `values` oldest first, null where not known. `label` says what they are. */
export function Sparkline({ values, label }: { readonly values: readonly (number | null)[]; readonly label: string }) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return <span class="faint small">too new</span>;
  return (
    <svg class="sparkline" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img">
      <title>{label}</title>
      <path class="spark" d={pathOf(values, Math.min(...known), Math.max(...known))} />
    </svg>
  );
}

function pathOf(values: readonly (number | null)[], low: number, high: number): string {
  const step = (WIDTH - 2 * EDGE) / (values.length - 1);
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  return values
    .map((value, at) => {
      if (value === null) return '';
      const previous = values[at - 1];
      const begins = previous === null || previous === undefined;
      return `${begins ? 'M' : 'L'}${(EDGE + at * step).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}
