/** What the demo sells: the configuration of its gateway, and the level of each model at any moment of the past. */
import { hashOf } from '#base/random.ts';
import { DAY_MS } from '#base/time.ts';

/** A model of the demo. */
export interface DemoModel {
  readonly id: string;
  readonly name: string;
  /** The level around which its market moves, USD; null where prices are fixed. */
  readonly middle: number | null;
  /** Its simulated pods. A model without any pod is a preview, which takes no orders. */
  readonly pods: readonly string[];
  /** Of each of them. */
  readonly slots: number;
  /** The mean time that an order of the live traders holds a slot. */
  readonly runsMs: number;
  /** Its part of the orders of the past, as a weight; 0 for none. */
  readonly weight: number;
  /** A pod more, that is down for as long as the demo lasts. */
  readonly down?: string;
}

/** The models that every demo has, and so the fewest. */
const MODELS: readonly DemoModel[] = [
  {
    ...{ id: 'tide-70b', name: 'Tide 70B', middle: 0.42, weight: 5 },
    ...{ pods: ['tide-1', 'tide-2'], slots: 8, runsMs: 10_000 },
  },
  {
    ...{ id: 'surge-400b', name: 'Surge 400B', middle: 2.6, weight: 3 },
    ...{ pods: ['surge-1'], slots: 8, runsMs: 14_000, down: 'surge-2' },
  },
  { id: 'reef-24b', name: 'Reef 24B', middle: 0.11, weight: 2, pods: ['reef-1'], slots: 8, runsMs: 8_000 },
  { id: 'harbor-8b', name: 'Harbor 8B', middle: null, weight: 2, pods: ['harbor-1'], slots: 8, runsMs: 6_000 },
  // Its only pod is down: the market page shows it as degraded.
  {
    ...{ id: 'ebb-13b', name: 'Ebb 13B', middle: 0.07, weight: 0.5 },
    ...{ pods: [], slots: 4, runsMs: 0, down: 'ebb-1' },
  },
  { id: 'delta-1t', name: 'Delta 1T', middle: 6.5, weight: 0, pods: [], slots: 0, runsMs: 0 },
];

/** The fewest and the most models of a demo. */
export const MODELS_BOUNDS = { min: MODELS.length, max: 200 } as const;

const WATERS = ['Brook', 'Creek', 'Fjord', 'Lagoon', 'Marsh', 'Narrows', 'Rapid', 'Shoal', 'Strait', 'Weir'];
const SIZES = [1, 3, 4, 8, 9, 12, 14, 20, 27, 30, 32, 34, 49, 65, 72, 110, 120, 180, 235, 405];
/** Nothing listens on the port of the discard service. */
const NOBODY = 'http://127.0.0.1:9/v1';
/** Slow, so that two hundred markets together start a few orders a second. */
const OTHERS_RUN_MS = 90_000;

/** This many models, within `MODELS_BOUNDS`: those of every demo, and others of growing size. */
export function demoModels(count: number): readonly DemoModel[] {
  const others = SIZES.flatMap((size) => WATERS.map((water) => otherModel(water, size)));
  return [...MODELS, ...others.slice(0, count - MODELS.length)];
}

function otherModel(water: string, size: number): DemoModel {
  const id = `${water.toLowerCase()}-${size}b`;
  const named = { id, name: `${water} ${size}B`, middle: 0.006 * size, weight: 0.2 };
  return { ...named, pods: [`${id}-1`], slots: 4, runsMs: OTHERS_RUN_MS };
}

/** Whether a model is one of those that every demo has. */
export function isMain({ id }: DemoModel): boolean {
  return MODELS.some((model) => model.id === id);
}

/** The text of the configuration file. */
export function configurationOf(models: readonly DemoModel[]): string {
  return JSON.stringify({
    default_model: 'tide-70b',
    models: models.map(({ id, name, middle, pods, slots, down }) => ({
      ...{ id, display_name: name, context_length: 131_072, max_output_length: 32_768 },
      ...(middle === null
        ? { type: 'fixed', usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 } }
        : { type: 'market', pricing_ratio: { cached: 0.1, uncached: 1, output: 4 }, floor: 0.001, ceiling: 100 }),
      ...(pods.length === 0 && down === undefined ? { preview: true } : {}),
      pods: [
        ...pods.map((pod) => ({ id: pod, simulated: true, slots, seed: hashOf(pod) % 1000 })),
        ...(down === undefined ? [] : [{ id: down, url: NOBODY, slots }]),
      ],
    })),
    probes: { enabled: true, interval_ms: 30_000 },
    limits: { public_requests_per_minute_per_address: 6000, streams_per_address: 50 },
    // Ctrl+C ends a demo at once: nobody waits for its orders.
    drain_timeout_ms: 500,
  });
}

/**
 * The level of a model at a moment of the past, in nano-dollars: it moves by the day, by the hour, and a little all the time. The
 * models differ in when.
 */
export function levelAt(model: string, middle: number, atMs: number): number {
  const shifted = atMs + hashOf(model);
  const day = Math.sin((shifted / DAY_MS) * 2 * Math.PI);
  const hours = Math.sin(shifted / 8_300_000) + Math.sin(shifted / 3_100_000);
  const noise = Math.sin(shifted / 61_000) * Math.sin(shifted / 17_000);
  return Math.round(middle * 1e9 * Math.exp(0.35 * day + 0.16 * hours + 0.05 * noise));
}
