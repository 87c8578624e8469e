/**
 * A search for the attack that moves a market most for its price, where a list of attacks has only those that somebody
 * thought of. The first half of the time it draws shapes, then it changes the worst ones. The same seed tries the same shapes
 * in the same order; how many depends on the time that it has. An attack that looks worse than the worst is played on more
 * days, for a search among many finds what chance did on one of them. The worst is printed as one line, which `assaults` takes.
 */
import { systemClock } from '#base/clock.ts';
import { type Random, seededRandom } from '#base/random.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type Assault, attackOf } from './assaults.ts';
import {
  type AttackedDay,
  type AttackedFigures,
  besideQuiet,
  movedBy,
  type Requirement,
  verdict,
} from './requirements.ts';

const CHOICES = {
  fresh: [false, true],
  ends: ['canceled', 'lowered', 'left'],
  kind: ['bid', 'bid', 'bid', 'lock', 'deadline'],
} as const;
/** Every magnitude between these is as likely. */
const RANGES = {
  orders: [1 / 16, 16],
  runsMs: [20, 60_000],
  upMs: [100, 60_000],
  everyMs: [1000, 600_000],
  accounts: [1, 1024],
  height: [0.9, 1000],
} as const;
/** The first day finds, all of them decide. */
const DAYS = 5;
const MEASURED_MS = { 8: HOUR_MS, 64: 20 * MINUTE_MS, 512: 10 * MINUTE_MS } as const;

/** The worst attack that is found on a market of this many slots within `seconds` of real time. */
export function worstFound(slots: keyof typeof MEASURED_MS, seed: number, seconds: number): Requirement {
  const random = seededRandom(seed);
  const [first, ...others] = Array.from({ length: DAYS }, (_, more) => {
    return { slots, seed: seed + 1000 * more, measuredMs: MEASURED_MS[slots] };
  }) as [AttackedDay, ...AttackedDay[]];
  const untilMs = systemClock.monotonicMs() + seconds * 1000;
  const drawUntilMs = systemClock.monotonicMs() + seconds * 500;
  let worst: { readonly assault: Assault; readonly excess: number; readonly verdict: Requirement } | null = null;
  let tried = 0;
  do {
    const assault: Assault =
      worst === null || systemClock.monotonicMs() < drawUntilMs ? drawn(random) : changed(worst.assault, random);
    const attack = attackOf(assault);
    const shape = { ...attack, slots };
    const found = besideQuiet(first, attack);
    tried++;
    if (worst !== null && movedBy(shape, found.attacked, found.quiet).excess <= worst.excess) continue;
    const played = [found, ...others.map((day) => besideQuiet(day, attack))];
    const attacked = meanOf(played.map((each) => each.attacked));
    const quiet = meanOf(played.map((each) => each.quiet));
    const { excess } = movedBy(shape, attacked, quiet);
    if (worst === null || excess > worst.excess)
      worst = { assault, excess, verdict: verdict(attack.name, shape, attacked, quiet) };
  } while (systemClock.monotonicMs() < untilMs);
  const { figure, target, holds } = worst.verdict;
  const name = `${slots} slots: the worst of ${tried} attacks that were searched`;
  return { name, figure: `${figure}; ${JSON.stringify(worst.assault)}`, target, holds };
}

/** The mean of each figure; of the locks, the sum. */
function meanOf(days: readonly AttackedFigures[]): AttackedFigures {
  const [first, ...others] = days as [AttackedFigures, ...AttackedFigures[]];
  const sum: { -readonly [Name in keyof AttackedFigures]: AttackedFigures[Name] } = { ...first };
  const names = (Object.keys(sum) as (keyof AttackedFigures)[]).filter((name) => typeof sum[name] === 'number');
  for (const name of names) for (const day of others) sum[name] += day[name];
  for (const name of names) if (!name.startsWith('locks')) sum[name] /= days.length;
  return sum;
}

function drawn(random: Random): Assault {
  const within = (name: keyof typeof RANGES) => {
    const [least, most] = RANGES[name];
    return rounded(least * (most / least) ** random.next());
  };
  const one = <Choice>(choices: readonly Choice[]): Choice =>
    choices[Math.floor(random.next() * choices.length)] as Choice;
  return {
    ...{ orders: within('orders'), runsMs: within('runsMs'), upMs: within('upMs'), everyMs: within('everyMs') },
    ...{ accounts: Math.ceil(within('accounts')), height: within('height') },
    ...{ fresh: one(CHOICES.fresh), ends: one(CHOICES.ends), kind: one(CHOICES.kind) },
  };
}

/** Some of it is drawn again, or moved by up to a factor of two. */
function changed(assault: Assault, random: Random): Assault {
  const other = drawn(random);
  const moved = (name: keyof typeof RANGES) => {
    const [least, most] = RANGES[name];
    if (random.next() < 0.15) return other[name];
    return rounded(Math.min(most, Math.max(least, assault[name] * 2 ** (2 * random.next() - 1))));
  };
  return {
    ...{ orders: moved('orders'), runsMs: moved('runsMs'), upMs: moved('upMs'), everyMs: moved('everyMs') },
    ...{ accounts: Math.ceil(moved('accounts')), height: moved('height') },
    fresh: random.next() < 0.2 ? other.fresh : assault.fresh,
    ends: random.next() < 0.2 ? other.ends : assault.ends,
    kind: random.next() < 0.2 ? other.kind : assault.kind,
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
