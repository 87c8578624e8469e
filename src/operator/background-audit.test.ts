/** Audits beside a gateway: in a thread, one at a time among gateways, once a day, and shown by all of them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConsoleMember } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { type AuditResult, type AuditThread, startAudit } from '#storage/audit/audit-thread.ts';
import { findingId } from '#storage/audit/findings.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { BackgroundAudit, SILENT_MS } from './background-audit.ts';

const USD = 1_000_000_000n;
const ada = { id: 'm1', email: 'ada@example.com', accountId: null, role: 'operator' } as ConsoleMember;
const bob = { ...ada, id: 'm2', email: 'bob@example.com' };
const nothing: AuditResult = {
  ...{ accounts: 1, orders: 2, acknowledged: 0, findings: [] },
  money: { days: [], models: [] },
};

for (const tested of testedDatabases) {
  describe(`the background audit on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let clock: ManualClock;
    let gateways: BackgroundAudit[];
    /** The audits that gateways began with `gateway`, to be ended by the test. */
    let begun: { readonly finish: (result: AuditResult) => void; readonly fail: (error: Error) => void }[];

    before(async () => {
      opened = await openJournaled(tested, new ManualClock(startMs));
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 500_000_000, atMs: startMs });
    });
    after(() => opened?.drop());
    beforeEach(() => {
      clock = new ManualClock(startMs);
      gateways = [];
      begun = [];
    });
    afterEach(async () => {
      for (const gateway of gateways) await gateway.close();
      await opened.db.knex('audit_runs').delete();
    });

    function gateway({ daily = false, start = held }: { daily?: boolean; start?: () => AuditThread } = {}) {
      const made = new BackgroundAudit({ db: opened.db, clock, ids: idSource(clock), log: silentLog, start, daily });
      gateways.push(made);
      return made;
    }
    function held(): AuditThread {
      const { promise, resolve, reject } = Promise.withResolvers<AuditResult>();
      begun.push({ finish: resolve, fail: reject });
      return { result: promise, stop: async () => reject(new Error('stopped')) };
    }
    const inThread = () => {
      const data = { dataFolder: '/nonexistent', dataBucket: null };
      return startAudit({ databaseUrl: opened.url, data, nowMs: clock.nowMs() });
    };
    async function until<Value>(what: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
      for (let tries = 0; tries < 6000; tries++) {
        const value = await what();
        if (holds(value)) return value;
        await pause(10);
      }
      return assert.fail('Gave up waiting.');
    }
    const ended = (audits: BackgroundAudit) =>
      until(
        () => audits.state(),
        ({ running }) => running === null,
      );
    /** Resolves when the gateways have begun this many. */
    const beginning = (count: number) =>
      until(
        async () => begun.length,
        (length) => length >= count,
      );
    const logged = (what: string) => opened.db.knex('audit_log').where({ what }).orderBy('id', 'desc').first();

    it('runs in a thread, and every gateway shows what it found and who has explained it', async () => {
      const accountId = await fundedAccount(opened.db, clock, 10n * USD);
      await opened.db.knex('accounts').where({ id: accountId }).update({ balance: '7' });
      const [one, other] = [gateway({ start: inThread }), gateway({ start: inThread })];
      assert.deepEqual(await one.state(), { running: null, last: null, failedAtMs: null });
      await one.begin(ada);
      assert.equal((await logged('audit.run')).who, ada.email);
      const { last } = await ended(other);
      const sentence = `Account ${accountId}: the balance is 7, its entries sum to 10000000000.`;
      assert.deepEqual(last?.findings, [{ id: findingId(sentence), sentence, acknowledged: null }]);
      assert.deepEqual([last.who, last.startedAtMs], [ada.email, startMs]);
      assert.ok(last.accounts > 0);

      const explained = await other.acknowledge(bob, findingId(sentence), 'A test.');
      const known = { who: bob.email, atMs: startMs, reason: 'A test.' };
      assert.deepEqual(explained.acknowledged, known);
      // The second changes nothing.
      assert.deepEqual((await one.acknowledge(ada, findingId(sentence), 'Another.')).acknowledged, known);
      assert.deepEqual((await one.state()).last?.findings[0]?.acknowledged, known);
      const row = await logged('audit.acknowledge');
      assert.deepEqual([row.who, JSON.parse(row.after_json)], [bob.email, { sentence, reason: 'A test.' }]);
      await assert.rejects(one.acknowledge(ada, 'unknown', 'x'), { code: 'not_found' });

      await clock.advance(1);
      await one.begin(ada);
      const again = (await ended(one)).last;
      assert.deepEqual([again?.findings, again?.acknowledged], [[], 1]);
      await opened.db.knex('accounts').where({ id: accountId }).update({ balance: '10000000000' });
    });

    it('counts what was sold, estimated, refunded and written off in the last 35 days, without probes', async () => {
      const accountId = await fundedAccount(opened.db, clock, 10n * USD);
      const charge = 123_456_789n;
      for (let count = 0; count < 2; count++) {
        const order = orderRow({ accountId });
        await opened.journal.write(acceptUnit(order, { admission: admissionOf(charge) }));
        await opened.journal.write(settleUnit(order, charge, { tokens: { uncached: 10, cached: 0, output: 5 } }));
        const usage = { estimated: count, refunded: count * 5, written_off: count * 7 };
        await opened.db.knex('usage_records').where({ order_id: order.id }).update(usage);
      }
      const house = orderRow({ accountId: await fundedAccount(opened.db, clock, 10n * USD) });
      await opened.journal.write(acceptUnit(house, { admission: admissionOf(charge) }));
      await opened.journal.write(settleUnit(house, charge, { tokens: { uncached: 1, cached: 0, output: 1 } }));
      await opened.db.knex('accounts').where({ id: house.accountId }).update({ house: 1 });
      const audits = gateway({ start: inThread });
      await audits.begin(ada);
      const figures = {
        ...{ orders: 2, estimatedOrders: 1, charged: 2n * charge, estimated: charge },
        ...{ refunded: 5n, writtenOff: 7n },
      };
      const { last } = await ended(audits);
      assert.deepEqual(last?.money.models, [{ model: 'tide-70b', ...figures }]);
      assert.deepEqual(last.money.days, [{ dayMs: startMs - (startMs % DAY_MS), ...figures }]);

      await clock.advance(35 * DAY_MS);
      await audits.begin(ada);
      assert.deepEqual((await ended(audits)).last?.money, { days: [], models: [] });
    });

    it('of many who begin one at once, in several gateways, one does', async () => {
      const [one, other] = [gateway(), gateway()];
      await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? one : other).begin(ada)));
      await beginning(1);
      assert.deepEqual((await other.state()).running, { who: ada.email, startedAtMs: startMs });
      begun[0]?.finish(nothing);
      assert.equal((await ended(other)).last?.orders, 2);
      assert.equal(begun.length, 1);
      await clock.advance(1);
      await other.begin(bob);
      await beginning(2);
    });

    it('one begins by itself every day, wherever a gateway runs, and not when one has begun since', async () => {
      const [one, other] = [gateway({ daily: true }), gateway({ daily: true })];
      const days = async (count: number) => {
        await until(
          async () => begun.length,
          (length) => length >= count,
        );
        begun.at(-1)?.finish(nothing);
        await ended(one);
      };
      await clock.advance(HOUR_MS);
      await days(1);
      assert.equal((await other.state()).last?.who, 'daily');
      for (let hours = 0; hours < 23; hours++) await clock.advance(HOUR_MS);
      await Promise.all([one.close(), other.close()]);
      assert.equal(begun.length, 1);
      const third = gateway({ daily: true });
      await clock.advance(HOUR_MS);
      await days(2);
      await third.begin(ada);
      await days(3);
      for (let hours = 0; hours < 23; hours++) await clock.advance(HOUR_MS);
      await third.close();
      assert.equal(begun.length, 3);
    });

    it('one that fails is shown beside the last that did not, and one whose gateway is gone is given up', async () => {
      const [one, other] = [gateway(), gateway()];
      await one.begin(ada);
      await beginning(1);
      begun[0]?.finish(nothing);
      await ended(one);
      await clock.advance(1);
      await one.begin(ada);
      await beginning(2);
      begun[1]?.fail(new Error('The database went away.'));
      assert.equal((await ended(one)).failedAtMs, startMs + 1);
      await clock.advance(1);
      const id = idSource(clock).uuid();
      const gone = { id, who: ada.email, started_at_ms: clock.nowMs(), beat_at_ms: clock.nowMs() };
      await opened.db.knex('audit_runs').insert(gone);
      assert.equal((await other.state()).running?.who, ada.email);
      await clock.advance(SILENT_MS);
      const state = await other.state();
      assert.deepEqual([state.running, state.last?.orders, state.failedAtMs], [null, 2, gone.beat_at_ms]);
      await other.begin(bob);
      assert.equal((await other.state()).running?.who, bob.email);
    });

    it('beats while it runs, for as long as it takes', async () => {
      const [one, other] = [gateway(), gateway()];
      await one.begin(ada);
      for (let beats = 0; beats < 12; beats++) {
        await clock.advance(SILENT_MS / 6);
        const beaten = async () => Number((await opened.db.knex('audit_runs').first('beat_at_ms')).beat_at_ms);
        await until(beaten, (atMs) => atMs >= clock.nowMs() - SILENT_MS / 6);
      }
      await other.begin(bob);
      assert.equal(begun.length, 1);
      assert.equal((await other.state()).running?.who, ada.email);
    });

    it('ends with its gateway', async () => {
      const audits = gateway({ start: inThread });
      await audits.begin(ada);
      await audits.close();
      const { running, last } = await gateway().state();
      assert.deepEqual([running, last], [null, null]);
    });
  });
}
