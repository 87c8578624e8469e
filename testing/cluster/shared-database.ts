/**
 * A database in memory that several gateways of a test share: the real units, leases of
 * gateways and of one market, and journals that commit a little later, each in its order, behind the fence.
 */
import assert from 'node:assert/strict';
import type { JournalPort } from '#base/journal.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId, HeldSlot } from '#cluster/messages.ts';
import type { RecoveredQuote } from '#market/ports.ts';
import type { JournalOutcome, JournalUnit, JournalUnits } from '#storage/journal/units.ts';
import { MemoryJournal } from '../memory-journal.ts';
import type { ProcessTime, SharedTime } from './shared-time.ts';

/** What a test leaves out, to see that it finds what follows. */
export interface Omissions {
  /** The fence does not compare epochs of markets. */
  readonly epochs?: boolean;
}

interface GatewayLease {
  beatMs: number;
  adopter: GatewayId | null;
}

/** The rows that all gateways see. */
export class SharedDatabase {
  readonly journal = new MemoryJournal();
  readonly gateways = new Map<GatewayId, GatewayLease>();
  readonly market: { epoch: number; holder: GatewayId | null } = { epoch: 0, holder: null };
  readonly quotes: RecoveredQuote[] = [];
  /** What has happened. */
  readonly seen = new Set<string>();
  readonly #time: SharedTime;
  readonly #random: Random;
  readonly #slots: Readonly<Record<string, number>>;
  readonly #omit: Omissions;

  constructor(time: SharedTime, random: Random, slots: Readonly<Record<string, number>>, omit: Omissions) {
    this.#time = time;
    this.#random = random;
    this.#slots = slots;
    this.#omit = omit;
  }

  /** Runs a statement for a process: it happens a little later, whatever becomes of the process, and so does its answer. */
  ask<Answer>(process: ProcessTime, run: () => Answer): Promise<Answer> {
    return new Promise((resolve) => {
      this.#time.after(this.#random.next() * 12, () => {
        const answer = run();
        this.#time.after(this.#random.next() * 8, () => process.turn(() => resolve(answer)));
      });
    });
  }

  take(gateway: GatewayId, seenEpoch: number): number | null {
    if (this.market.epoch !== seenEpoch || !this.gateways.has(gateway)) return null;
    this.market.epoch = Math.max(this.market.epoch + 1, this.#time.nowMs);
    this.market.holder = gateway;
    if (seenEpoch > 0) this.seen.add('takeover');
    if (!this.#omit.epochs) this.journal.presentEpoch = this.market.epoch;
    return this.market.epoch;
  }

  slotsHeld(reported: readonly GatewayId[]): (HeldSlot & { gateway: GatewayId })[] {
    return this.journal.orders.where("status = 'executing'").flatMap((row) => {
      if (reported.includes(row.bootEpoch) || row.pod === null) return [];
      const { id: order, accountId: account, attempt, pod, bid, restedSeq, house, bootEpoch: gateway, model } = row;
      return [{ model, order, account, attempt, pod, bid, restedSeq: restedSeq ?? 0, house, gateway }];
    });
  }

  /** Commits units together. False when the gateway was declared dead. */
  commit(gateway: GatewayId, units: readonly JournalUnit[]): JournalOutcome<JournalUnit>[] | null {
    const lease = this.gateways.get(gateway);
    if (!lease || lease.adopter !== null) return null;
    const outcomes = this.journal.commitTogether(units);
    for (const [index, outcome] of outcomes.entries()) {
      const unit = units[index];
      assert.ok(unit);
      if (unit.kind === 'quote' && outcome.result === 'changed') this.quotes.push({ ...unit, lockMinutes: [] });
      this.seen.add(outcome.result);
      this.#check(unit, outcome.result);
    }
    return outcomes;
  }

  #check(unit: JournalUnit, result: string): void {
    const admission = unit.kind === 'accept' || unit.kind === 'admit' ? unit.admission : null;
    if (!admission || result !== 'executing') return;
    const { pod, levelSeq } = admission;
    const running = this.journal.orders.count("status = 'executing' AND pod = ?", pod);
    assert.ok(running <= (this.#slots[pod] ?? 0), `${pod} has ${running} orders`);
    const isKnown = this.journal.levels.some((level) => level.levelSeq === levelSeq);
    assert.ok(isKnown, `an admission names level ${levelSeq} before it has committed`);
  }
}

/** The journal of one gateway: groups of units, one after the other. `onLost`: another has declared it dead. */
export class SharedJournal implements JournalPort<JournalUnits> {
  readonly stalled = false;
  readonly #parts: { database: SharedDatabase; process: ProcessTime; gateway: GatewayId; onLost: () => void };
  #queue: { readonly unit: JournalUnit; readonly resolve: (outcome: never) => void }[] = [];
  #busy = false;

  constructor(parts: { database: SharedDatabase; process: ProcessTime; gateway: GatewayId; onLost: () => void }) {
    this.#parts = parts;
  }

  write<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
    return new Promise((resolve) => {
      this.#queue.push({ unit, resolve });
      if (!this.#busy) this.#begin();
    });
  }

  #begin(): void {
    this.#busy = true;
    const { database, process, gateway, onLost } = this.#parts;
    process.after(0, () => {
      const group = this.#queue.splice(0);
      const units = group.map(({ unit }) => unit);
      void database
        .ask(process, () => database.commit(gateway, units))
        .then((outcomes) => {
          if (!outcomes) {
            onLost();
            return;
          }
          for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] as never);
          this.#busy = false;
          if (this.#queue.length > 0) this.#begin();
        });
    });
  }
}
