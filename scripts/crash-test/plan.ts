/**
 * What is done to a cluster, round by round. It is drawn before anything runs and from chance of its own, so that a seed
 * names it whatever the machine does, and a few rounds have every kind of harm.
 */
import type { Random } from '#base/random.ts';

/**
 * SIGKILL, SIGTERM and SIGSTOP for a gateway; its links cut, without a sign of life, or slow; SIGKILL for the database.
 * Each happens once in as many rounds as there are kinds.
 */
export const harms = ['kill', 'stop', 'pause', 'cut', 'silent', 'slow', 'database'] as const;
export type Harm = (typeof harms)[number];

/** One round. */
export interface PlannedRound {
  readonly harm: Harm;
  /** The gateway that it is done to, from 0; the database has none, and ignores it. */
  readonly victim: number;
  /** For how long the load runs before. */
  readonly lifeMs: number;
  /** For how long the harm lasts: until what was killed is started again. */
  readonly forMs: number;
}

interface Span {
  readonly least: number;
  readonly most: number;
}

/** Short ones meet a batch that has just begun. */
const LIFE_MS: Span = { least: 100, most: 3_000 };
/** A gateway without others is killed, and started again at once. */
const ALONE: readonly Harm[] = ['kill'];
const AWAY_MS: Span = { least: 0, most: 2_000 };
/** Also longer than what makes a gateway count as dead. */
const LONG_MS: Span = { least: 1_000, most: 20_000 };
const FOR_MS: Readonly<Record<Harm, Span>> = {
  kill: AWAY_MS,
  stop: AWAY_MS,
  pause: LONG_MS,
  cut: { least: 0, most: 500 },
  silent: LONG_MS,
  slow: LONG_MS,
  database: { least: 0, most: 4_000 },
};

/** The rounds of a run with so many gateways. */
export function planRounds(options: { rounds: number; gateways: number; random: Random }): PlannedRound[] {
  const { rounds, gateways, random } = options;
  const planned: PlannedRound[] = [];
  let left: Harm[] = [];
  while (planned.length < rounds) {
    if (left.length === 0) left = gateways > 1 ? [...harms] : [...ALONE];
    const [harm] = left.splice(Math.floor(random.next() * left.length), 1);
    if (harm === undefined) throw new Error('there is no harm left');
    const victim = Math.floor(random.next() * gateways);
    planned.push({
      harm,
      victim,
      lifeMs: within(LIFE_MS, random),
      forMs: gateways > 1 ? within(FOR_MS[harm], random) : 0,
    });
  }
  return planned;
}

function within({ least, most }: Span, random: Random): number {
  return Math.round(least + random.next() * (most - least));
}
