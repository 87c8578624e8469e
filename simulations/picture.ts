/**
 * Draws the outcomes of a simulation as one SVG: the figure and its target, green where it holds and red where it does not,
 * and beside them level and quote over the day.
 */
import type { ReliabilityTenth } from '#market/estimates/reliability.ts';
import type { Sample } from './floor.ts';
import type { SeededRequirement } from './requirements.ts';

const WIDTH = 1240;
const ROW = 54;
const TOP = 40;
const CHART_LEFT = 900;
const CHART_WIDTH = WIDTH - CHART_LEFT - 16;
const CHART_HEIGHT = 40;
/** Longer texts are cut. */
const LETTERS_MAX = 150;

const GREEN = '#1a7f37';
const RED = '#cf222e';
const GREY = '#6e7781';
const LEVEL = '#1f6feb';
const QUOTE = '#d1570b';

/** The whole picture. */
export function pictureOf(outcomes: readonly SeededRequirement[]): string {
  const height = TOP + outcomes.length * ROW + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="16" y="20">What must hold: <tspan fill="${GREEN}">green</tspan> where it does, <tspan fill="${RED}">red</tspan> where it does not. Beside it <tspan fill="${LEVEL}">level</tspan> and <tspan fill="${QUOTE}">quote</tspan> over the day, USD per 1M input tokens at the reference mix.</text>`,
    ...outcomes.map((outcome, at) => rowOf(outcome, TOP + at * ROW)),
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(
  { name, seed, figure, target, holds, samples = [], reliability = [] }: SeededRequirement,
  top: number,
): string {
  const colour = holds === null ? GREY : holds ? GREEN : RED;
  return [
    `<rect x="16" y="${top}" width="6" height="${ROW - 10}" fill="${colour}"/>`,
    `<text x="30" y="${top + 10}" font-weight="bold">${escaped(name)}<tspan fill="${GREY}" font-weight="normal"> seed ${seed}</tspan></text>`,
    `<text x="30" y="${top + 25}" fill="${colour}">${escaped(shortened(figure))}</text>`,
    ...(target === '' ? [] : [`<text x="30" y="${top + 40}" fill="${GREY}">target: ${escaped(target)}</text>`]),
    ...(samples.length > 1 ? [chartOf(samples, top)] : []),
    ...(reliability.length > 0 ? [reliabilityOf(reliability, top)] : []),
  ].join('\n');
}

function chartOf(samples: readonly Sample[], top: number): string {
  const highest = Math.max(0.01, ...samples.map(({ level, quote }) => Math.max(level, quote) / 1e9));
  const first = samples[0]?.atMs ?? 0;
  const last = Math.max(first + 1, samples.at(-1)?.atMs ?? 0);
  const line = (of: 'level' | 'quote', colour: string) => {
    const points = samples.map((sample) => {
      const x = CHART_LEFT + ((sample.atMs - first) / (last - first)) * CHART_WIDTH;
      const y = top + CHART_HEIGHT - (sample[of] / 1e9 / highest) * CHART_HEIGHT;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return `<polyline fill="none" stroke="${colour}" points="${points.join(' ')}"/>`;
  };
  return [
    `<rect x="${CHART_LEFT}" y="${top}" width="${CHART_WIDTH}" height="${CHART_HEIGHT}" fill="none" stroke="#d0d7de"/>`,
    `<text x="${CHART_LEFT - 6}" y="${top + 10}" text-anchor="end" fill="${GREY}">${highest.toPrecision(3)}</text>`,
    line('quote', QUOTE),
    line('level', LEVEL),
  ].join('\n');
}

/** What was said, from left to right, against what came true, upwards: on the diagonal it was right. */
function reliabilityOf(points: readonly ReliabilityTenth[], top: number): string {
  const x = (share: number) => (CHART_LEFT + share * CHART_HEIGHT).toFixed(1);
  const y = (share: number) => (top + (1 - share) * CHART_HEIGHT).toFixed(1);
  return [
    `<rect x="${CHART_LEFT}" y="${top}" width="${CHART_HEIGHT}" height="${CHART_HEIGHT}" fill="none" stroke="#d0d7de"/>`,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#d0d7de"/>`,
    ...points.map(({ said, came }) => `<circle cx="${x(said)}" cy="${y(came)}" r="1.8" fill="${LEVEL}"/>`),
    `<text x="${CHART_LEFT + CHART_HEIGHT + 8}" y="${top + 10}" fill="${GREY}">said → came true</text>`,
  ].join('\n');
}

function shortened(text: string): string {
  return text.length <= LETTERS_MAX ? text : `${text.slice(0, LETTERS_MAX - 1)}…`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
