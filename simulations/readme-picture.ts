/**
 * Draws docs/understand/market.svg, the picture of the README: an hour of the simulated day `bursts`, traded on the real exchange.
 * The background is transparent, and each colour is legible on white and on black. The seed is fixed, so everybody gets
 * the same file; with `--check` it is compared instead of written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE_MS } from '#base/time.ts';
import { type Outcome, play, scenarios } from './scenarios.ts';

const FILE = join(import.meta.dirname, '../docs/understand/market.svg');
const SEED = 1;
const LENGTH_MS = 60 * MINUTE_MS;

const WIDTH = 860;
const LEFT = 64;
const RIGHT = 16;
const HEIGHT = 316;
const GREY = '#7d8590';

interface Panel {
  readonly top: number;
  readonly height: number;
  readonly highest: number;
  readonly marks: readonly (readonly [value: number, text: string])[];
  readonly colour: string;
}

const demand: Panel = {
  top: 32,
  height: 64,
  highest: 4,
  marks: [
    [0, '0'],
    [1, '1×'],
    [4, '4×'],
  ],
  colour: '#a371f7',
};
const price: Panel = {
  top: 140,
  height: 140,
  highest: 1.5,
  marks: [
    [0, '$0'],
    [0.5, '$0.50'],
    [1, '$1'],
    [1.5, '$1.50'],
  ],
  colour: '#2f81f7',
};

main(process.argv.includes('--check'));

function main(check: boolean): void {
  const scenario = scenarios.find(({ name }) => name === 'bursts');
  if (!scenario) throw new Error('The simulations no longer have a day of bursts.');
  const picture = pictureOf(play(scenario, SEED, { measuredMs: LENGTH_MS }).samples, scenario.load);
  if (!check) writeFileSync(FILE, picture);
  else if (readFileSync(FILE, 'utf8') !== picture) {
    throw new Error('docs/understand/market.svg is out of date: run `npm run picture`.');
  }
}

function pictureOf(samples: Outcome['samples'], load: (sinceMs: number) => number): string {
  const startMs = samples[0]?.atMs ?? 0;
  const points = (panel: Panel, figureOf: (sample: Outcome['samples'][number]) => number) =>
    samples.map((sample) => `${across(sample.atMs - startMs)},${down(panel, figureOf(sample))}`).join(' ');
  const end = across((samples.at(-1)?.atMs ?? 0) - startMs);
  const area = `${points(demand, ({ atMs }) => load(atMs - startMs))} ${end},${down(demand, 0)} ${LEFT},${down(demand, 0)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="${GREY}">`,
    '<title>An hour of one simulated market: demand, and the price that follows it</title>',
    ...frameOf(demand, 'demand', 'requests as a multiple of what 64 slots can run'),
    `<polygon fill="${demand.colour}" fill-opacity="0.35" stroke="${demand.colour}" points="${area}"/>`,
    ...frameOf(price, 'level', 'the price of the market, per 1M input tokens'),
    `<polyline fill="none" stroke="${price.colour}" stroke-width="2" points="${points(price, ({ level }) => level / 1e9)}"/>`,
    ...[0, 10, 20, 30, 40, 50].map((minute) => textAt(across(minute * MINUTE_MS), HEIGHT - 14, `${minute}`, 'middle')),
    textAt(WIDTH - RIGHT, HEIGHT - 14, '60 minutes', 'end'),
    '</svg>',
    '',
  ].join('\n');
}

function frameOf(panel: Panel, name: string, what: string): string[] {
  return [
    textAt(LEFT, panel.top - 14, `<tspan fill="${panel.colour}" font-weight="600">${name}</tspan>: ${what}`, 'start'),
    ...panel.marks.flatMap(([value, text]) => {
      const y = down(panel, value);
      const line = `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" stroke="${GREY}" stroke-opacity="0.3"/>`;
      return [line, textAt(LEFT - 8, y + 4, text, 'end')];
    }),
  ];
}

function textAt(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

function across(sinceMs: number): number {
  return rounded(LEFT + (sinceMs / LENGTH_MS) * (WIDTH - LEFT - RIGHT));
}

function down({ top, height, highest }: Panel, value: number): number {
  return rounded(top + height - (value / highest) * height);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
