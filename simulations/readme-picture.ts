/**
 * Draws docs/understand/market.svg, the picture of the README, an hour of the simulated day `bursts`; and market-day.svg beside
 * it, a day with a rush and an attack. Both are traded on the real exchange. The background is transparent, and each colour is
 * legible on white and on black. The seed is fixed, so everybody gets the same files; with `--check` they are compared
 * instead of written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { attacks } from './attacks.ts';
import type { TradingFloor } from './floor.ts';
import { bursts, type Outcome, play, type Scenario } from './scenarios.ts';

const FOLDER = join(import.meta.dirname, '../docs/understand');
const SEED = 1;

const WIDTH = 860;
const LEFT = 64;
const RIGHT = 16;
const HEIGHT = 316;
const GREY = '#7d8590';

/** One picture and the day that it shows. */
interface Picture {
  readonly file: string;
  readonly title: string;
  readonly day: Scenario;
  /** Before the part that is shown. */
  readonly warmUpMs: number;
  readonly lengthMs: number;
  /** One sample in so many milliseconds is shown, with the highest quote of that time. */
  readonly everyMs: number;
  readonly hasQuote: boolean;
  readonly price: Panel;
  /** Below, from left to right. */
  readonly times: readonly (readonly [atMs: number, text: string])[];
  /** Times that are marked, with what happens then. */
  readonly events: readonly { readonly fromMs: number; readonly toMs: number; readonly text: string }[];
}

interface Panel {
  readonly top: number;
  readonly height: number;
  readonly highest: number;
  readonly marks: readonly (readonly [value: number, text: string])[];
  readonly colour: string;
}

const QUOTE = '#db6d28';
const EVENT = '#da3633';

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
const price = { top: 140, height: 140, colour: '#2f81f7' } as const;

const hour: Picture = {
  file: 'market.svg',
  title: 'An hour of one simulated market: demand, and the price that follows it',
  day: { name: 'bursts', slots: 64, lockShare: 0.3, load: bursts },
  warmUpMs: HOUR_MS,
  lengthMs: HOUR_MS,
  everyMs: 10_000,
  hasQuote: false,
  price: {
    ...price,
    highest: 1.5,
    marks: [
      [0, '$0'],
      [0.5, '$0.50'],
      [1, '$1'],
      [1.5, '$1.50'],
    ],
  },
  times: [0, 10, 20, 30, 40, 50, 60].map((minute) => [minute * MINUTE_MS, minute < 60 ? `${minute}` : '60 minutes']),
  events: [],
};

/** Little at night and more than the slots by day, with a rush in the morning. */
function dayAndNight(sinceMs: number): number {
  const isRush = sinceMs >= RUSH.fromMs && sinceMs < RUSH.toMs;
  return isRush ? 4 : 0.9 - 0.5 * Math.cos((2 * Math.PI * sinceMs) / DAY_MS);
}

const RUSH = { fromMs: 9 * HOUR_MS, toMs: 9 * HOUR_MS + 20 * MINUTE_MS, text: 'rush' };
const ATTACK = { fromMs: 14 * HOUR_MS, toMs: 24 * HOUR_MS, text: 'attack: a wall of 128 orders every ten minutes' };

const day: Picture = {
  file: 'market-day.svg',
  title: 'A day of one simulated market: demand with a rush, an attack, and level and quote that follow',
  day: { name: 'a day', slots: 64, lockShare: 0.3, load: dayAndNight, event: attackInTheAfternoon },
  warmUpMs: 0,
  lengthMs: DAY_MS,
  everyMs: 2 * MINUTE_MS,
  hasQuote: true,
  price: {
    ...price,
    highest: 2.5,
    marks: [
      [0, '$0'],
      [1, '$1'],
      [2, '$2'],
    ],
  },
  times: [0, 4, 8, 12, 16, 20, 24].map((hours) => [hours * HOUR_MS, hours < 24 ? `${hours}` : '24 hours']),
  events: [RUSH, ATTACK],
};

main(process.argv.includes('--check'));

function main(check: boolean): void {
  for (const picture of [hour, day]) {
    const { warmUpMs, lengthMs } = picture;
    const drawn = drawingOf(picture, play(picture.day, SEED, { warmUpMs, measuredMs: lengthMs }).samples);
    const file = join(FOLDER, picture.file);
    if (!check) writeFileSync(file, drawn);
    else if (readFileSync(file, 'utf8') !== drawn)
      throw new Error(`docs/understand/${picture.file} is out of date: run \`npm run picture\`.`);
  }
}

function attackInTheAfternoon(floor: TradingFloor, slots: number): void {
  const attack = attacks.find(({ name }) => name.startsWith('a wall of two orders of 5.2 s for each slot'));
  if (!attack) throw new Error('The simulations no longer have a wall of orders that hold a slot.');
  floor.agenda.after(ATTACK.fromMs, () => attack.play(floor, slots));
}

function drawingOf(picture: Picture, all: Outcome['samples']): string {
  const { title, lengthMs, everyMs, hasQuote, price, times, events, day } = picture;
  const startMs = all[0]?.atMs ?? 0;
  const across = (sinceMs: number) => rounded(LEFT + (sinceMs / lengthMs) * (WIDTH - LEFT - RIGHT));
  const samples = thinned(all, everyMs);
  const points = (panel: Panel, figureOf: (sample: Outcome['samples'][number]) => number) =>
    samples.map((sample) => `${across(sample.atMs - startMs)},${down(panel, figureOf(sample))}`).join(' ');
  const end = across((samples.at(-1)?.atMs ?? 0) - startMs);
  const area = `${points(demand, ({ atMs }) => day.load(atMs - startMs))} ${end},${down(demand, 0)} ${LEFT},${down(demand, 0)}`;
  const curve = (colour: string, width: number, figureOf: (sample: Outcome['samples'][number]) => number) =>
    `<polyline fill="none" stroke="${colour}" stroke-width="${width}" points="${points(price, (sample) => figureOf(sample) / 1e9)}"/>`;
  const prices = hasQuote
    ? `the price of the market, and <tspan fill="${QUOTE}" font-weight="600">quote</tspan>`
    : 'the price of the market';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="${GREY}">`,
    `<title>${title}</title>`,
    ...frameOf(demand, 'demand', 'requests as a multiple of what 64 slots can run'),
    `<polygon fill="${demand.colour}" fill-opacity="0.35" stroke="${demand.colour}" points="${area}"/>`,
    ...frameOf(price, 'level', `${prices}, per 1M input tokens`),
    ...events.flatMap(({ fromMs, toMs, text }) => {
      const [x, width] = [across(fromMs), rounded(across(toMs) - across(fromMs))];
      const bar = `<rect x="${x}" y="${price.top - 8}" width="${width}" height="3" fill="${EVENT}"/>`;
      return [bar, textAt(x, price.top + 8, `<tspan fill="${EVENT}">${text}</tspan>`, 'start')];
    }),
    ...(hasQuote ? [curve(QUOTE, 1, ({ quote }) => quote)] : []),
    curve(price.colour, 2, ({ level }) => level),
    ...times.map(([atMs, text]) => textAt(across(atMs), HEIGHT - 14, text, atMs === lengthMs ? 'end' : 'middle')),
    '</svg>',
    '',
  ].join('\n');
}

/** The first of all samples in each stretch of this length, with the highest quote of them. */
function thinned(samples: Outcome['samples'], everyMs: number): Outcome['samples'] {
  const stretches = Map.groupBy(samples, ({ atMs }) => Math.floor(atMs / everyMs));
  return [...stretches.values()].flatMap((stretch) => {
    const quote = Math.max(...stretch.map((sample) => sample.quote));
    return stretch.slice(0, 1).map((first) => ({ ...first, quote }));
  });
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

function down({ top, height, highest }: Panel, value: number): number {
  return rounded(top + height - (value / highest) * height);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
