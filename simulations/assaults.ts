/** Attacks that are numbers alone, so that a search can change them, and those that searches found. */
import { MINUTE_MS } from '#base/time.ts';
import type { NamedAttack } from './attacks.ts';
import type { TradingFloor } from './floor.ts';

/** One attack as numbers: orders that are sent together, again and again. */
export interface Assault {
  /** For each slot of the market. */
  readonly orders: number;
  readonly runsMs: number;
  /** For how long they wait before `ends` happens to them, and how often they are sent. */
  readonly upMs: number;
  readonly everyMs: number;
  readonly accounts: number;
  /** Whether the accounts are new each time. */
  readonly fresh: boolean;
  /** What they bid, as a multiple of the level. */
  readonly height: number;
  readonly ends: 'canceled' | 'lowered' | 'left';
  readonly kind: 'bid' | 'lock' | 'deadline';
}

/** The worst that earlier searches found. They are played like any other attack. */
export const assaults: readonly Assault[] = [
  {
    ...{ orders: 6.12, runsMs: 3470, upMs: 60_000, everyMs: 317_000, accounts: 283, height: 9.87 },
    ...{ fresh: true, ends: 'lowered', kind: 'lock' },
  },
  {
    ...{ orders: 1.22, runsMs: 185, upMs: 375, everyMs: 31_000, accounts: 266, height: 138 },
    ...{ fresh: true, ends: 'left', kind: 'lock' },
  },
  {
    ...{ orders: 12.7, runsMs: 76.4, upMs: 656, everyMs: 6120, accounts: 2, height: 6.47 },
    ...{ fresh: true, ends: 'canceled', kind: 'bid' },
  },
];

/** One attacker sends no more than this. */
const PER_SECOND_MAX = 200;
const BID_MAX = 1e18;

/** The same as an attack with a name. */
export function attackOf(assault: Assault): NamedAttack {
  const freshAccounts = assault.fresh || assault.accounts > 100;
  return { name: JSON.stringify(assault), freshAccounts, play: (floor, slots) => play(floor, assault, slots) };
}

function play(floor: TradingFloor, assault: Assault, slots: number): void {
  const { orders, runsMs, upMs, accounts, fresh, height, ends, kind } = assault;
  const count = Math.max(1, Math.round(orders * slots));
  const everyMs = Math.max(assault.everyMs, (1000 * count) / PER_SECOND_MAX);
  let sent = 0;
  const again = () => {
    const limit = Math.min(BID_MAX, Math.round(height * floor.level) + 1);
    const sentNow = Array.from({ length: count }, (_, at) =>
      floor.send({
        account: `attacker ${fresh ? `${sent++ % 1e6}` : at % accounts}`,
        ...{ limit, runsMs: Math.ceil(runsMs), lock: kind === 'lock', unmeasured: true },
        patienceMs: ends === 'left' ? 60_000 : 10 * MINUTE_MS,
        ...(kind === 'deadline' ? { byMs: floor.nowMs + MINUTE_MS } : {}),
      }),
    );
    if (ends !== 'left') {
      floor.agenda.after(upMs, () => {
        for (const one of sentNow) {
          if (ends === 'canceled' || kind !== 'bid') floor.cancel(one);
          else floor.reprice(one, 0);
        }
      });
    }
    floor.agenda.after(everyMs, again);
  };
  again();
}
