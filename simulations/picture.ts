/** Draws level and quote of several days as one SVG, one panel per day. */
import type { Outcome } from './scenarios.ts';

const WIDTH = 860;
const PANEL = 120;
const LEFT = 60;
const HALF_HOUR_MS = 1_800_000;

/** The whole picture. */
export function pictureOf(outcomes: readonly Outcome[]): string {
  const panels = outcomes.map((outcome, index) => panelOf(outcome, index * (PANEL + 40) + 40));
  const height = outcomes.length * (PANEL + 40) + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + LEFT + 20}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    '<text x="60" y="16"><tspan fill="#1f6feb">level</tspan> and <tspan fill="#d1570b">quote</tspan>, USD per 1M input tokens at the reference mix, by the hours of the day</text>',
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function panelOf({ name, samples }: Outcome, top: number): string {
  const highest = Math.max(0.01, ...samples.map(({ level, quote }) => Math.max(level, quote) / 1e9));
  const first = samples[0]?.atMs ?? 0;
  const last = Math.max(first + 1, samples.at(-1)?.atMs ?? 0);
  const across = (atMs: number) => LEFT + ((atMs - first) / (last - first)) * WIDTH;
  const line = (of: 'level' | 'quote', colour: string) => {
    const points = samples.map((sample) => {
      const x = across(sample.atMs);
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
    ...halfHours(last - first).map((sinceMs) => markAt(across(first + sinceMs), top, sinceMs)),
    line('quote', '#d1570b'),
    line('level', '#1f6feb'),
  ].join('\n');
}

/** Each half hour of a period, including its beginning; if that is more than ten, each hour, two hours or more. */
function halfHours(lengthMs: number): number[] {
  let everyMs = HALF_HOUR_MS;
  while (lengthMs / everyMs > 10) everyMs *= 2;
  return Array.from({ length: Math.floor(lengthMs / everyMs) + 1 }, (_, index) => index * everyMs);
}

function markAt(x: number, top: number, sinceMs: number): string {
  const place = x.toFixed(1);
  return [
    `<line x1="${place}" y1="${top}" x2="${place}" y2="${top + PANEL}" stroke="#eeeeee"/>`,
    `<text x="${place}" y="${top + PANEL + 14}" text-anchor="middle" fill="#777777">${sinceMs / (2 * HALF_HOUR_MS)} h</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
