/** What a live market came to: what agrees with the simulation, what must hold, and tables of both. */
import { markdownTable } from '#simulations/markdown-table.ts';
import { type Requirement, requirementTable, verdict } from '#simulations/requirements.ts';
import { type Comparison, compare } from './comparison.ts';
import type { Day, LiveMarket } from './days.ts';
import type { LiveDay } from './live-day.ts';

/** Everything that a run says. */
export interface Outcome {
  /** Whether live and simulation agree, what must hold holds, and no answer was odd. */
  readonly ok: boolean;
  readonly market: LiveMarket;
  readonly comparisons: readonly Comparison[];
  readonly requirements: readonly Requirement[];
  /** How many orders each attacker started, and how long they held their slots: half of them, and all but a hundredth. */
  readonly attacks: readonly {
    readonly day: Day;
    readonly started: number;
    readonly halfMs: number;
    readonly mostMs: number;
  }[];
  /** Level and quote of each day, second by second. */
  readonly prices: readonly Pick<LiveDay, 'day' | 'prices'>[];
  readonly findings: readonly string[];
}

/** Compares the days with simulated ones. The first of them is the crowd alone. */
export function outcomeOf(market: LiveMarket, live: readonly LiveDay[]): Outcome {
  const { simulated, comparisons } = compare(live, market);
  const attacked = live.slice(1);
  const played = { live: live.map(({ figures }) => figures), simulated };
  const requirements = attacked.flatMap(({ day }, before) =>
    Object.entries(played).flatMap(([where, figures]) => {
      const [crowd, attack] = [figures[0], figures[before + 1]];
      return crowd && attack ? [verdict(`${day}, ${where}`, attack, crowd)] : [];
    }),
  );
  const findings = live.flatMap(({ day, findings: found }) => found.map((finding) => `${day}: ${finding}`));
  const agree = comparisons.every(({ agrees }) => agrees);
  return {
    ok: agree && requirements.every(({ holds }) => holds !== false) && findings.length === 0,
    market,
    comparisons,
    requirements,
    attacks: attacked.map(attackOf),
    prices: live.map(({ day, prices }) => ({ day, prices })),
    findings,
  };
}

/** The same for people. */
export function textOf({ market, comparisons, requirements, attacks, findings }: Outcome): string {
  const { slots, load, runsMs, measuredMs, seed } = market;
  const rows = comparisons.map(({ day, figure, live, simulated, tolerance, agrees }) => [
    `${day}: ${figure}`,
    ...[live, simulated, tolerance].map((value) => value.toFixed(4)),
    agrees ? '✔' : '✘',
  ]);
  return [
    `${slots} slots, load ${load}, orders of ${runsMs / 1000} s, ${measuredMs / 60_000} minutes, seed ${seed}`,
    markdownTable(['day and figure', 'live', 'simulated', 'may differ by', 'agrees'], rows),
    requirementTable(requirements),
    attacks.map(attackText).join('\n'),
    findings.map((finding) => `FOUND ${finding}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function attackOf({ day, heldMs }: LiveDay): Outcome['attacks'][number] {
  const sorted = heldMs.toSorted((one, two) => one - two);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { day, started: sorted.length, halfMs: at(0.5), mostMs: at(0.99) };
}

function attackText({ day, started, halfMs, mostMs }: Outcome['attacks'][number]): string {
  return `${day}: ${started} orders started; half of them held their slot for ${halfMs} ms or less, 99 % for ${mostMs} ms`;
}
