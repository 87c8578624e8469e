/**
 * Days of a listing at fixed prices: who gets the slot time, compared with what is fair. An account that always waits is
 * due one part in n + 1 of all slot time while n others wait.
 */
import { HOUR_MS } from '#base/time.ts';
import { always, around, FixedPriceFloor, type JobTime } from './fixed-price-floor.ts';
import type { Requirement } from './requirements.ts';

/** A day: who comes, and which part of the slot time each of some groups is due. */
export interface FixedPriceDay {
  readonly name: string;
  readonly slots: number;
  readonly hours: number;
  readonly due: Readonly<Record<string, number>>;
  readonly accountShareMax?: number;
  readonly come: (floor: FixedPriceFloor) => void;
}

/** What came of a day: of what was due, the part that the worst and the best group got; 1 is fair. */
export interface FixedPriceOutcome {
  readonly name: string;
  readonly slots: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Plays a day from a seed. What happens in a quarter of its time before it is not measured. */
export function playFixedPrices(day: FixedPriceDay, seed: number): FixedPriceOutcome {
  const { name, slots, accountShareMax = null, due } = day;
  const floor = new FixedPriceFloor({ seed, slots, accountShareMax });
  day.come(floor);
  floor.run((day.hours * HOUR_MS) / 4);
  floor.resetMeasures();
  floor.run(day.hours * HOUR_MS);
  const got = Object.entries(due).map(([group, share]) => floor.share(group) / share);
  return { name, slots, lowest: Math.min(...got), highest: Math.max(...got) };
}

/** Whether everyone gets what is due: within 5 % beside equals, and 10 % beside newcomers and attackers. */
export function fairness(day: FixedPriceDay, seed: number): Requirement {
  const { name, slots, lowest, highest } = playFixedPrices(day, seed);
  const within = name.startsWith('jobs of') ? 0.05 : 0.1;
  return {
    name: `${slots} slots: fixed prices, ${name}`,
    figure: `${lowest.toFixed(3)} to ${highest.toFixed(3)} of the slot time that is due`,
    target: `1 ± ${within}`,
    holds: lowest >= 1 - within && highest <= 1 + within,
  };
}

/** More orders than slots, so that some of an account always wait. */
function depthOf({ slots }: FixedPriceFloor): number {
  return 2 * slots + 8;
}

function threeLengths(kind: string, of: (ms: number) => JobTime): FixedPriceDay[] {
  return [8, 64].map((slots) => ({
    name: `jobs of 60, 5 and 1 s, ${kind}`,
    slots,
    hours: slots === 8 ? 1.5 : 0.5,
    due: { long: 1 / 3, middle: 1 / 3, short: 1 / 3 },
    come: (floor) => {
      floor.stay('long', depthOf(floor), of(60_000));
      floor.stay('middle', depthOf(floor), of(5_000));
      floor.stay('short', depthOf(floor), of(1_000));
    },
  }));
}

interface Stream {
  readonly residentS: number;
  readonly newcomerS: number;
  readonly hours: number;
}

/** A resident whose jobs take `residentS` beside accounts with one job of `newcomerS` each, so many waiting. */
function newcomers(waiting: number, { residentS, newcomerS, hours }: Stream): FixedPriceDay[] {
  return [8, 64].map((slots) => ({
    name: `first-time accounts, ${waiting} waiting, jobs of ${newcomerS} s beside ${residentS} s`,
    slots,
    hours: slots === 8 ? hours : hours / 2,
    due: { resident: 1 / (waiting + 1) },
    come: (floor) => {
      floor.stay('resident', depthOf(floor), around(residentS * 1000));
      let accounts = 0;
      const next = () => `newcomer ${++accounts}`;
      floor.keepWaiting(waiting, { group: 'newcomers', runs: around(newcomerS * 1000), next });
    },
  }));
}

/** An attack on a resident with jobs of ten seconds, who is due this share. */
function attack(name: string, share: number, come: (floor: FixedPriceFloor) => void, hours = 8): FixedPriceDay[] {
  return [8, 64].map((slots) => ({
    name: `attack: ${name}`,
    slots,
    hours: slots === 8 ? hours : hours / 4,
    due: { resident: share },
    come: (floor) => {
      floor.stay('resident', depthOf(floor), around(10_000));
      come(floor);
    },
  }));
}

/** Each account has a first order of 10 ms, so that it is taken for one with short jobs, and then one of two minutes. */
function shortFirst(floor: FixedPriceFloor): void {
  let accounts = 0;
  const group = 'attacker';
  const next = () => {
    const account = `attacker ${++accounts}`;
    const second = () => {
      floor.send(account, { group, runs: always(120_000), started: () => floor.soon(next) });
    };
    floor.send(account, { group, runs: always(10), ended: () => floor.soon(second) });
  };
  for (let account = 0; account < 4; account++) next();
}

/** Two hundred accounts send in turn, each long after its last order. */
function returning(floor: FixedPriceFloor): void {
  let orders = 0;
  const next = () => `attacker ${orders++ % 200}`;
  floor.keepWaiting(4, { group: 'attacker', runs: around(30_000), next });
}

/** Two hundred short jobs, and then as many long ones as there are slots. */
function lying(floor: FixedPriceFloor): void {
  let jobs = 0;
  floor.stay('attacker', depthOf(floor), () => (jobs++ % (200 + floor.slots) < 200 ? 10 : 100_000));
}

/** The same in bursts, and away in between. */
function lyingAndLeaving(floor: FixedPriceFloor): void {
  const burst = () => {
    for (let order = 0; order < 40; order++) floor.send('attacker', { group: 'attacker', runs: always(10) });
    for (let order = 0; order < 4 * floor.slots; order++) {
      floor.send('attacker', { group: 'attacker', runs: always(100_000) });
    }
    floor.agenda.after(400_000, burst);
  };
  burst();
}

/** One account with orders of one token. */
function oneToken(floor: FixedPriceFloor): void {
  floor.stay('attacker', depthOf(floor), always(50));
}

/** A bounded share of slots: an account at its bound uses little, and must not be the measure for those that come. */
const atTheBound: FixedPriceDay[] = [8, 64].map((slots) => ({
  name: 'attack: one at its bound of a quarter, and first-time accounts',
  slots,
  hours: slots === 8 ? 8 : 2,
  accountShareMax: 0.25,
  due: { ann: 1 / 5, ben: 1 / 5 },
  come: (floor) => {
    for (const account of ['ann', 'ben']) floor.stay(account, depthOf(floor), around(10_000));
    floor.stay('attacker', depthOf(floor), always(600_000));
    let accounts = 0;
    const next = () => `newcomer ${++accounts}`;
    floor.keepWaiting(2, { group: 'newcomers', runs: around(30_000), next });
  },
}));

/** All days. */
export const fixedPriceDays: readonly FixedPriceDay[] = [
  ...threeLengths('all alike', always),
  ...threeLengths('of any length around these', around),
  ...newcomers(1, { residentS: 10, newcomerS: 10, hours: 1 }),
  ...newcomers(4, { residentS: 60, newcomerS: 1, hours: 1 }),
  ...newcomers(4, { residentS: 1, newcomerS: 60, hours: 3 }),
  ...newcomers(20, { residentS: 10, newcomerS: 10, hours: 2 }),
  ...attack('4 accounts at a time, a short order before a long one', 1 / 5, shortFirst),
  ...attack('4 orders wait, of 200 accounts that return', 1 / 5, returning),
  ...attack('200 short jobs before the long ones', 1 / 2, lying),
  ...attack('the same, and away in between', 1 / 2, lyingAndLeaving),
  ...attack('orders of one token', 1 / 2, oneToken, 0.2),
  ...atTheBound,
];
