/** Points (9) and (10) of the audit against a configuration that was changed while gateways ran. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, startMs } from '#testing/order-fixtures.ts';
import { audit } from './index.ts';

const LEVEL = 500_000_000;
const MINUTE = 60_000;

for (const tested of testedDatabases) {
  describe(`the audit against a configuration on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    let changes = 0;

    before(async () => {
      opened = await openJournaled(tested, clock);
      const accountId = await fundedAccount(opened.db, clock, 10n ** 12n);
      await opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: LEVEL, atMs: startMs });
      const window = { quoteSeq: 1, price: LEVEL, atMs: startMs, untilMs: startMs + 10_000, state: null };
      await opened.journal.write({ kind: 'quote', model: 'tide-70b', ...window });
      for (let order = 0; order < 3; order++) {
        const admission = admissionOf(5n, { atMs: startMs + order * MINUTE });
        await opened.journal.write(acceptUnit(orderRow({ accountId }), { admission }));
      }
    });
    beforeEach(async () => {
      for (const table of ['audit_log', 'gateway_runs']) await opened.db.knex(table).delete();
      await ran(startMs - 60 * MINUTE, startMs);
    });
    after(() => opened.drop());

    const ran = (fromMs: number, untilMs: number) =>
      opened.db.knex('gateway_runs').insert({ boot: ++changes, from_ms: fromMs, until_ms: untilMs, in_blocks: 1 });
    const change = (what: string, subject: string, atMs: number, after: object) =>
      opened.db.knex('audit_log').insert({
        ...{
          id: `change-${String(++changes).padStart(4, '0')}`,
          at_ms: atMs,
          account_id: null,
          who: 'ann@example.com',
        },
        ...{ what, subject, before_json: null, after_json: JSON.stringify(after) },
      });
    const setSlots = (slots: number | null, minute: number, pod = 'sim-1') =>
      change('pod.slots', pod, startMs + minute * MINUTE, { draining: false, slots });
    const reloaded = (settings: readonly string[], minute: number) =>
      change('configuration.reload', 'process 1', startMs + minute * MINUTE, { changed: settings, needs_restart: [] });

    /** What it finds of three orders on `sim-1`, admitted in the minutes 0, 1 and 2. */
    async function findings(slots: number, pod = 'sim-1'): Promise<string> {
      return (await audit(opened.db, null, { slots: new Map([[pod, slots]]) })).findings.join('\n');
    }
    const TOO_MANY = /^Pod sim-1 runs 3 orders in 2 slots\.$/;

    test('as many as the file gives are right, more are found, and a pod that the file has no more is not checked', async () => {
      assert.equal(await findings(3), '');
      assert.match(await findings(2), TOO_MANY);
      assert.equal(await findings(2, 'another'), '');
    });

    test('slots that an operator set are right, at any moment since the first order started', async () => {
      await setSlots(3, -5);
      assert.equal(await findings(2), '');
      await setSlots(1, 3);
      assert.equal(await findings(2), '', 'what ran before goes on');
      await setSlots(null, 4);
      assert.equal(await findings(2), '');
      assert.match((await audit(opened.db, null, { slots: new Map([['sim-1', 0]]) })).findings.join(), /^$/);
    });

    test('slots that were set back before the first order started are no excuse, nor are those of another pod', async () => {
      await setSlots(3, -5);
      await setSlots(null, -4);
      await setSlots(9, -3, 'sim-2');
      assert.match(await findings(2), TOO_MANY);
    });

    test('a drained pod goes on with what it runs, and draining gives it no slots', async () => {
      await change('pod.drain', 'sim-1', startMs + 3 * MINUTE, { draining: true, slots: null });
      assert.equal(await findings(3), '');
      assert.match(await findings(2), TOO_MANY);
    });

    test('what was set in an earlier run is no excuse, unless another gateway ran on with it', async () => {
      await setSlots(3, -30);
      assert.equal(await findings(2), '');
      await ran(startMs - 10 * MINUTE, startMs);
      assert.equal(await findings(2), '', 'the runs overlap');
      await opened.db.knex('gateway_runs').where({ boot: changes }).delete();
      await opened.db.knex('gateway_runs').update({ until_ms: startMs - 20 * MINUTE });
      await ran(startMs - 10 * MINUTE, startMs);
      assert.match(await findings(2), TOO_MANY);
    });

    test('a pod to which the file gave others while its orders ran is checked again when they have ended', async () => {
      await reloaded(['pods[sim-1].slots', 'log_level'], 1);
      assert.equal(await findings(2), '');
      await opened.db.knex('audit_log').delete();
      await reloaded(['pods[sim-1].slots'], -5);
      assert.match(await findings(2), TOO_MANY);
      await setSlots(3, -6);
      await opened.db.knex('audit_log').where({ what: 'pod.slots' }).update({ id: 'change-0000' });
      assert.match(await findings(2), TOO_MANY, 'the file had replaced them');
    });

    test('levels and quotes of before a reload with other bounds are not checked against them, later ones are', async () => {
      const bounds = new Map([['tide-70b', { floor: 0, ceiling: LEVEL - 1 }]]);
      const found = async () => (await audit(opened.db, null, { bounds })).findings;
      assert.equal((await found()).length, 2);
      await change('configuration.reload', 'configuration', startMs + MINUTE, { 'models[tide-70b].ceiling': '0.4' });
      assert.deepEqual(await found(), []);
      const later = { atMs: startMs + 3 * MINUTE, untilMs: startMs + 4 * MINUTE };
      const market = { model: 'tide-70b' } as const;
      await opened.journal.write({ kind: 'level', ...market, levelSeq: 2, level: LEVEL, atMs: later.atMs });
      await opened.journal.write({ kind: 'quote', ...market, quoteSeq: 2, price: LEVEL, ...later, state: null });
      assert.match((await found()).join('\n'), /levels from 500000000 to 500000000 leave 0 to 499999999/);
      assert.match((await found()).join('\n'), /quote 2 leaves its bounds/);
      await reloaded(['models[other].ceiling'], 5);
      assert.equal((await found()).length, 2);
      await reloaded(['models[tide-70b].floor'], 5);
      assert.deepEqual(await found(), []);
    });
  });
}
