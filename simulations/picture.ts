/** Draws level and quote of several days as one SVG, a panel a day. */
import type { Outcome } from './scenarios.ts';

const WIDTH = 860;
const PANEL = 120;
const LEFT = 60;

/** The whole picture. */
export function pictureOf(outcomes: readonly Outcome[]): string {
  const panels = outcomes.map((outcome, index) => panelOf(outcome, index * (PANEL + 40) + 40));
  const height = outcomes.length * (PANEL + 40) + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + LEFT + 20}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    '<text x="60" y="16"><tspan fill="#1f6feb">level</tspan> and <tspan fill="#d1570b">quote</tspan>, USD per 1M input tokens at the reference mix</text>',
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function panelOf({ name, samples }: Outcome, top: number): string {
  const highest = Math.max(0.01, ...samples.map(({ level, quote }) => Math.max(level, quote) / 1e9));
  const first = samples[0]?.atMs ?? 0;
  const last = Math.max(first + 1, samples.at(-1)?.atMs ?? 0);
  const line = (of: 'level' | 'quote', colour: string) => {
    const points = samples.map((sample) => {
      const x = LEFT + ((sample.atMs - first) / (last - first)) * WIDTH;
      const y = top + PANEL - (sample[of] / 1e9 / highest) * PANEL;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return `<polyline fill="none" stroke="${colour}" points="${points.join(' ')}"/>`;
  };
  return [
    `<text x="${LEFT}" y="${top - 6}">${escaped(name)}</text>`,
    `<text x="${LEFT - 6}" y="${top + 10}" text-anchor="end">${highest.toPrecision(3)}</text>`,
    `<text x="${LEFT - 6}" y="${top + PANEL}" text-anchor="end">0</text>`,
    `<rect x="${LEFT}" y="${top}" width="${WIDTH}" height="${PANEL}" fill="none" stroke="#cccccc"/>`,
    line('quote', '#d1570b'),
    line('level', '#1f6feb'),
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
