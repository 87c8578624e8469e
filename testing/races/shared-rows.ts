/**
 * The rows that the gateways of a world share: the real units in memory, behind the fence of each gateway's lease. Every
 * commit is compared with what must always hold.
 */
import assert from 'node:assert/strict';
import type { Clock } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { GatewayId, HeldSlot } from '#cluster/messages.ts';
import type { LevelRow, RecoveredQuote } from '#market/ports.ts';
import type { LeaseTable } from '#simulations/cluster/lease-table.ts';
import type { JournalOutcome, JournalUnit, JournalUnits } from '#storage/journal/units.ts';
import { MemoryJournal } from '../memory-journal.ts';
import type { Delays } from './delays.ts';
import type { History } from './history.ts';
import type { RacePods } from './race-pods.ts';

/** What the rows are kept with. */
export interface SharedRowsOptions {
  readonly delays: Delays;
  readonly history: History;
  /** Null where one gateway at a time serves. */
  readonly table: LeaseTable | null;
  readonly pods: RacePods;
}

/** The rows of a world. */
export class SharedRows {
  readonly journal = new MemoryJournal();
  readonly #quotes: RecoveredQuote[] = [];
  /** Orders of which a unit was refused: nothing is promised of them but that they keep no hold. */
  readonly refused = new Set<string>();
  /** Orders that no other gateway can take over for now. */
  readonly stuck = new Set<string>();
  readonly #options: SharedRowsOptions;
  readonly #wrong = this.journal.database.prepare(`SELECT id FROM accounts WHERE held > balance OR held <>
    (SELECT COALESCE(SUM(hold), 0) FROM orders WHERE account_id = accounts.id AND status = 'executing')`);

  constructor(options: SharedRowsOptions) {
    this.#options = options;
  }

  get live() {
    return this.journal.orders.where("status IN ('queued', 'executing')");
  }

  /** The newest level and quote. */
  get past(): { levels: LevelRow[]; quotes: RecoveredQuote[] } {
    return { levels: this.journal.levels.slice(-1).map((row) => ({ ...row, atMs: 0 })), quotes: this.#quotes.slice(-1) };
  }

  /** The slots that rows hold. */
  get slotsHeld(): (HeldSlot & { readonly gateway: GatewayId })[] {
    return this.journal.orders.where("status = 'executing'").map((row) => {
      const { id: order, accountId: account, attempt, pod, bid, restedSeq, house, bootEpoch: gateway, model } = row;
      return { model, order, account, attempt, pod: pod ?? '', bid, restedSeq: restedSeq ?? 0, house, gateway };
    });
  }

  /** Whether a gateway may commit: nobody declared it dead. */
  passes(gateway: GatewayId): boolean {
    return this.#options.table?.passes(gateway) ?? true;
  }

  /** Commits units together; an error for each that can never be applied. Null when the gateway was declared dead. */
  commit(gateway: GatewayId, units: readonly JournalUnit[]): (JournalOutcome | Error)[] | null {
    const { table } = this.#options;
    if (!this.passes(gateway)) return null;
    if (table) this.journal.presentEpoch = table.epoch('market:tide');
    const isRefused = units.map((unit) => this.#refuses(gateway, unit));
    const outcomes = this.journal.commitTogether(units.filter((_, index) => !isRefused[index]));
    const all = units.map((unit, index) => {
      const outcome = isRefused[index] ? new Error('a unit that can never be applied') : outcomes.shift();
      assert.ok(outcome);
      this.#note(gateway, unit, outcome);
      return outcome;
    });
    this.#check();
    return all;
  }

  #refuses(gateway: GatewayId, unit: JournalUnit): boolean {
    if (!('orderId' in unit)) return false;
    const { delays } = this.#options;
    if (this.stuck.has(unit.orderId) && this.journal.orders.get(unit.orderId)?.bootEpoch !== gateway) return true;
    const isRefused = delays.failing && delays.draw() < 0.002;
    if (isRefused) this.refused.add(unit.orderId);
    return isRefused;
  }

  #note(gateway: GatewayId, unit: JournalUnit, outcome: JournalOutcome | Error): void {
    const { history, pods } = this.#options;
    const result = outcome instanceof Error ? 'refused' : outcome.result;
    const order = unit.kind === 'accept' ? unit.order.id : 'orderId' in unit ? unit.orderId : '';
    if (unit.kind === 'quote' && result === 'changed') this.#quotes.push({ ...unit, lockMinutes: [] });
    if (unit.kind !== 'locks' && unit.kind !== 'quote')
      history.note(`${gateway} commits ${unit.kind} ${order} ${'attempt' in unit ? unit.attempt : ''}: ${result}`);
    history.seen.add(unit.kind).add(result);
    if (unit.kind === 'settle' && !(outcome instanceof Error) && outcome.result === 'settled' && outcome.charged > 0n)
      if (!pods.mayCharge(order)) history.find(`order ${order} was charged and had no output`);
    const admission = unit.kind === 'accept' || unit.kind === 'admit' ? unit.admission : null;
    if (!admission || result !== 'executing') return;
    const isKnown = this.journal.levels.some(({ levelSeq }) => levelSeq === admission.levelSeq);
    if (!isKnown) history.find(`${order} was admitted at level ${admission.levelSeq} before that had committed`);
    const running = this.journal.orders.count("status = 'executing' AND pod = ?", admission.pod);
    const isOver = this.#options.table !== null && running > pods.slotsOf(admission.pod);
    if (isOver) history.find(`${running} rows run on ${admission.pod}`);
  }

  #check(): void {
    for (const account of this.#wrong.pluck().all())
      this.#options.history.find(`${account} holds another sum than its orders`);
  }
}

/** What the journal of one gateway is made of. */
interface RaceJournalOptions {
  readonly rows: SharedRows;
  readonly delays: Delays;
  readonly host: Clock;
  readonly gateway: GatewayId;
  /** The gateway was declared dead. */
  readonly onLost: () => void;
}

/** The journal of one gateway: groups of units, one after the other. */
export class RaceJournal implements JournalPort<JournalUnits> {
  readonly stalled = false;
  readonly #options: RaceJournalOptions;
  #queue: { readonly unit: JournalUnit; readonly settle: PromiseWithResolvers<never> }[] = [];
  #busy = false;

  constructor(options: RaceJournalOptions) {
    this.#options = options;
  }

  write<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
    const settle = Promise.withResolvers<never>();
    this.#queue.push({ unit, settle });
    if (!this.#busy) this.#begin();
    return settle.promise;
  }

  #begin(): void {
    this.#busy = true;
    const { rows, delays, host, gateway, onLost } = this.#options;
    host.after(0, async () => {
      const group = this.#queue.splice(0);
      const units = group.map(({ unit }) => unit);
      const outcomes = await delays.run(host, () => rows.commit(gateway, units));
      if (!outcomes) {
        onLost();
        return;
      }
      for (const [index, { settle }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome instanceof Error) settle.reject(outcome);
        else settle.resolve(outcome as never);
      }
      this.#busy = false;
      if (this.#queue.length > 0) this.#begin();
    });
  }
}
