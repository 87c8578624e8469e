/**
 * Random lives of orders against a model of the state table (Spec 3): submitted in every way, chosen, repriced, canceled,
 * timed out, finished, failed by their pods, abandoned by their callers, repeated by key, refunded, and the gateway killed
 * in between. After every event each row must read as the model says, and at the end the audit must find nothing. A
 * failure prints the seed and the path that replay it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '#base/fault.ts';
import { chargeOf } from '#ledger/tariff.ts';
import { isTerminal, type OrderStatus, type OrderWithUsage } from '#orders/order.ts';
import type { Ticket } from '#orders/order-port.ts';
import type { OrderFilter } from '#orders/ports.ts';
import { audit } from '#storage/audit/index.ts';
import { createOrderStore } from '#storage/orders.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { testRequest } from '#testing/desk-bench.ts';
import { FLOOR_CREDIT, FLOOR_LEVEL, ORDER_TIMEOUT_S, TradingFloor } from '#testing/trading-floor.ts';

const acts = [
  ...['submit', 'submit', 'submit', 'submit', 'admit', 'admit', 'admit', 'succeed', 'succeed', 'reprice'],
  ...['cancel', 'pass', 'fail', 'wear-out', 'no-slot', 'fail-late', 'refuse', 'leave', 'refund', 'restart'],
] as const;
const ways = ['plain', 'detached', 'keyed', 'locked'] as const;

const event = fc.record({
  act: fc.constantFrom(...acts),
  way: fc.constantFrom(...ways),
  which: fc.nat(),
  bid: fc.integer({ min: 0, max: 30 }).map((tenths) => tenths * 100_000_000),
  seconds: fc.constantFrom(1, 3, 12),
});
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

const USAGE = { promptTokens: 10, cachedTokens: 4, outputTokens: 5 };
const TOKENS = { uncached: 6, cached: 4, output: 5 };
const FAILURES_MAX = 3;

/** What the model knows of one order. `charged` null: done, at a charge that is the gateway's estimate. */
interface Life {
  readonly id: string;
  readonly way: Event['way'];
  readonly key: string | null;
  readonly outlives: boolean;
  ticket: Ticket | null;
  status: OrderStatus;
  error: string | null;
  bid: number;
  attempt: number;
  failures: number;
  priceCap: number;
  admittedAtMs: number;
  expiresAtMs: number;
  charged: bigint | null;
  refunded: bigint;
}

class Model {
  readonly lives: Life[] = [];
  readonly #floor: TradingFloor;

  constructor(floor: TradingFloor) {
    this.#floor = floor;
  }

  async apply(event: Event): Promise<void> {
    if (event.act === 'submit') return this.#submit(event);
    if (event.act === 'pass') return this.#pass(event.seconds * 1000);
    if (event.act === 'restart') return this.#restart();
    const life = this.#choose(event);
    if (!life) return;
    if (event.act === 'reprice') return this.#reprice(life, event.bid);
    if (event.act === 'cancel') return this.#cancel(life);
    if (event.act === 'refund') return this.#refund(life, BigInt(event.bid));
    if (event.act === 'leave') return this.#leave(life);
    if (event.act === 'admit') return this.#admit(life);
    if (event.act === 'wear-out') return this.#wearOut(life);
    return this.#endAttempt(life, event.act);
  }

  /** An order that the act is about; those that only make sense in one state prefer it. */
  #choose({ act, which }: Event): Life | undefined {
    const wanted = act === 'admit' ? 'queued' : act === 'refund' ? 'done' : 'executing';
    const fitting = ['reprice', 'cancel', 'leave'].includes(act)
      ? this.lives
      : this.lives.filter(({ status }) => status === wanted);
    return fitting[which % Math.max(1, fitting.length)];
  }

  async #submit({ way, bid, which }: Event): Promise<void> {
    const { desk, clock, customer } = this.#floor;
    const key = way === 'keyed' ? `k${which % 3}` : null;
    const wishes = { priceLimit: bid, priceLock: way === 'locked', detached: way === 'detached' };
    const idempotency = key === null ? null : { key, fingerprint: 'same' };
    const holder = key === null ? undefined : this.lives.findLast((life) => life.key === key && !isUncharged(life));
    const submitted = desk.submit(customer, testRequest(wishes, { idempotency }));
    if (holder && holder.status !== 'done') {
      await assert.rejects(submitted, (error) => error instanceof Fault && error.code === 'result_pending');
      return;
    }
    const submission = await submitted;
    if (holder) {
      assert.ok(submission.type === 'replay' && submission.result.orderId === holder.id, 'the answer is given again');
      return;
    }
    assert.ok(submission.type === 'order');
    const { ticket } = submission;
    ticket.watch({ events: () => {}, ended: () => {} });
    this.lives.push({
      id: ticket.orderId,
      way,
      key,
      outlives: way === 'detached' || way === 'keyed',
      ticket,
      status: 'queued',
      error: null,
      bid: way === 'locked' ? Math.min(bid, FLOOR_LEVEL) : bid,
      attempt: 0,
      failures: 0,
      priceCap: Number.POSITIVE_INFINITY,
      admittedAtMs: 0,
      expiresAtMs: clock.nowMs() + (way === 'locked' ? 10_000 : ORDER_TIMEOUT_S * 1000),
      charged: 0n,
      refunded: 0n,
    });
  }

  async #admit(life: Life): Promise<void> {
    await this.#floor.admit(life.id);
    life.attempt++;
    life.status = 'executing';
    life.admittedAtMs = this.#floor.clock.nowMs();
    life.priceCap = Math.min(life.priceCap, FLOOR_LEVEL, life.bid);
  }

  async #endAttempt(life: Life, act: Event['act']): Promise<void> {
    const attempt = this.#floor.pods.attempts.findLast(({ request }) => request.orderId === life.id);
    assert.ok(attempt && !attempt.ended, 'an executing order has an attempt on a pod');
    if (act === 'succeed') {
      attempt.say('Hi').finish(USAGE);
      life.status = 'done';
      life.charged = chargeOf(this.#floor.listing.tariff, Math.min(life.priceCap, life.bid), TOKENS);
    } else if (act === 'refuse') {
      attempt.end({ kind: 'refused', message: 'planted' });
      this.#end(life, 'error', 'model_refused');
    } else if (act === 'fail-late') {
      attempt.say('Hi').end({ kind: 'failed', reason: 'planted' });
      this.#end(life, 'error', 'backend_error');
    } else {
      attempt.end(act === 'fail' ? { kind: 'failed', reason: 'planted' } : { kind: 'no-slot' });
      if (act === 'fail' && life.failures >= FAILURES_MAX) this.#end(life, 'error', 'backend_error');
      else this.#requeue(life, act === 'fail');
    }
    await this.#floor.settle();
  }

  /** Pods fail the order until it has had enough of them. */
  async #wearOut(life: Life): Promise<void> {
    for (let failures = life.failures; failures <= FAILURES_MAX; failures++) {
      await this.#endAttempt(life, 'fail');
      if (failures < FAILURES_MAX) await this.#admit(life);
    }
  }

  async #reprice(life: Life, bid: number): Promise<void> {
    const [answer] = await this.#floor.desk.reprice(this.#floor.accountId, [life.id], bid);
    const refusal = life.status !== 'queued' ? 'not_queued' : life.way === 'locked' ? 'price_locked' : null;
    assert.deepEqual(answer, { orderId: life.id, refusal });
    if (refusal === null) life.bid = bid;
  }

  async #cancel(life: Life): Promise<void> {
    const canceled = this.#floor.desk.cancel(this.#floor.accountId, life.id);
    if (life.status !== 'queued') {
      await assert.rejects(canceled, (error) => error instanceof Fault && error.code === 'order_not_cancelable');
      return;
    }
    await canceled;
    this.#end(life, 'canceled', 'order_canceled');
  }

  async #leave(life: Life): Promise<void> {
    if (!life.ticket) return;
    life.ticket.leave();
    await this.#floor.settle();
    if (life.outlives) return;
    if (life.status === 'queued') this.#end(life, 'canceled', 'client_closed');
    else if (life.status === 'executing') {
      life.status = 'done';
      life.charged = null;
    }
  }

  async #pass(ms: number): Promise<void> {
    const { clock } = this.#floor;
    await clock.advance(ms);
    await this.#floor.settle();
    for (const life of this.lives) {
      if (life.status !== 'queued' || life.expiresAtMs > clock.nowMs()) continue;
      this.#end(life, 'expired', life.way === 'locked' ? 'capacity_unavailable' : 'order_expired');
    }
  }

  async #restart(): Promise<void> {
    await this.#floor.restart();
    for (const life of this.lives) {
      life.ticket = null;
      if (life.outlives && life.status === 'executing') this.#requeue(life, false);
      else if (life.outlives || isTerminal(life.status)) continue;
      else this.#end(life, life.status === 'queued' ? 'canceled' : 'error', 'gateway_restarted');
    }
  }

  async #refund(life: Life, amount: bigint): Promise<void> {
    if (life.charged === null || amount === 0n) return;
    const refunded = this.#floor.treasury.refund(this.#floor.accountId, amount / 10_000n, { orderId: life.id });
    if (life.refunded + amount / 10_000n > life.charged) {
      await assert.rejects(refunded, Fault);
      return;
    }
    await refunded;
    life.refunded += amount / 10_000n;
  }

  #end(life: Life, status: OrderStatus, error: string): void {
    Object.assign(life, { status, error });
  }

  #requeue(life: Life, counts: boolean): void {
    life.status = 'queued';
    life.failures += counts ? 1 : 0;
    life.expiresAtMs += this.#floor.clock.nowMs() - life.admittedAtMs;
  }
}

function isUncharged({ status }: Life): boolean {
  return isTerminal(status) && status !== 'done';
}

function agrees(life: Life, row: OrderWithUsage | undefined): void {
  assert.ok(row, 'every order has its row');
  const { status, error, bid, attempt, failures, expiresAtMs } = row;
  assert.deepEqual(
    [status, error, bid, attempt, failures, expiresAtMs],
    [life.status, life.error, life.bid, life.attempt, life.failures, life.expiresAtMs],
  );
  assert.equal(row.finishedAtMs !== null, isTerminal(status));
  if (status === 'queued') assert.deepEqual([row.admittedAtMs, row.levelAtExecution], [null, null]);
  assert.equal(row.usage !== null, status === 'done');
  life.charged ??= row.usage?.charged ?? 0n;
  if (row.usage) assert.equal(row.usage.charged, life.charged - life.refunded);
  if (status === 'done' && life.outlives) assert.equal(row.resultState, 'stored');
}

function allOf(accountId: string): OrderFilter {
  const anything = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };
  return { accountId, ...anything };
}

test('every order goes the way of the state table, whatever happens to it and to its gateway', async () => {
  const sqlite = testedDatabases.find(({ name }) => name === 'SQLite');
  assert.ok(sqlite);
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 60 }), async (events) => {
      const opened = await openTested(sqlite);
      const floor = new TradingFloor(opened.db);
      try {
        await floor.open();
        const model = new Model(floor);
        for (const event of events) {
          await model.apply(event);
          const rows = await createOrderStore(opened.db).list(allOf(floor.accountId), { limit: 500, after: null });
          for (const life of model.lives)
            agrees(
              life,
              rows.find(({ id }) => id === life.id),
            );
        }
        await floor.settle();
        const charged = model.lives.reduce((sum, life) => sum + (life.charged ?? 0n) - life.refunded, 0n);
        const funds = await opened.db.knex('accounts').where({ id: floor.accountId }).first('balance');
        assert.equal(BigInt(funds.balance), FLOOR_CREDIT - charged);
        assert.deepEqual((await audit(opened.db, null, { nowMs: floor.clock.nowMs() })).findings, []);
      } finally {
        await floor.close();
        await opened.drop();
      }
    }),
    { numRuns: 6, seed: 77 },
  );
});
