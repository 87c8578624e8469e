/** Draws what a request costs each server as bars, for the README: `http.bench.ts --picture FILE`. */

/** One server's figures. */
export interface Bar {
  readonly name: string;
  /** Processor time of a request in microseconds; NaN where it was not measured. */
  readonly processorUs: number;
}

/** The bars of one scenario. */
export interface BarGroup {
  readonly name: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 860;
const LEFT = 120;
const BAR = 18;
const GAP = 30;
const TOP = 46;
/** Room for the figure behind a bar. */
const FIGURE = 150;

const COLOURS: Readonly<Record<string, string>> = { floor: '#8b949e', Sluice: '#1f6feb' };
const OTHERS = '#d0a15b';

/**
 * The whole picture. Bars begin at the least round figure below all and grow with the logarithm: the slowest takes a
 * hundred times what the fastest does.
 */
export function processorPicture(groups: readonly BarGroup[], caption: string): string {
  const all = groups.flatMap(({ bars }) => bars.map(({ processorUs }) => processorUs).filter(Number.isFinite));
  const least = 10 ** Math.floor(Math.log10(Math.min(...all)) - 0.01);
  const most = Math.max(...all);
  const lengthOf = (us: number) => ((WIDTH - LEFT - FIGURE) * Math.log(us / least)) / Math.log(most / least);
  const parts: string[] = [];
  let top = TOP;
  for (const { name, bars } of groups) {
    parts.push(`<text x="16" y="${top + 4}" font-weight="bold">${escaped(name)}</text>`);
    top += 14;
    const floor = bars.find((bar) => bar.name === 'floor')?.processorUs ?? Number.NaN;
    for (const bar of bars.filter(({ processorUs }) => Number.isFinite(processorUs))) {
      parts.push(barOf(bar, { top, length: lengthOf(bar.processorUs), floor }));
      top += BAR + 4;
    }
    top += GAP - BAR;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" font-family="sans-serif" font-size="12">`,
    '<title>Processor time of one request</title>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="16" y="22" fill="#57606a">${escaped(caption)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function barOf(
  { name, processorUs }: Bar,
  { top, length, floor }: { top: number; length: number; floor: number },
): string {
  const figure = `${processorUs.toFixed(0)} µs${name === 'floor' ? '' : `, ${times(processorUs / floor)} × floor`}`;
  return [
    `<text x="${LEFT - 8}" y="${top + 13}" text-anchor="end">${escaped(name)}</text>`,
    `<rect x="${LEFT}" y="${top}" width="${length.toFixed(1)}" height="${BAR}" fill="${COLOURS[name] ?? OTHERS}"/>`,
    `<text x="${(LEFT + length + 8).toFixed(1)}" y="${top + 13}">${figure}</text>`,
  ].join('\n');
}

function times(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 1 : 0);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
