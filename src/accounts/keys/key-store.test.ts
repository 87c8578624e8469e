/** What can be set of a key, and its rotation, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { HOUR_MS } from '#base/time.ts';
import { fundedAccount, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { Members } from '../members/member-store.ts';
import { hashKey } from './api-key.ts';
import { AccessStore } from './key-lookup.ts';
import { Keys } from './key-store.ts';

const USD = 1_000_000_000n;
const NEW_YEAR = Date.UTC(2026, 0, 1);

for (const tested of testedDatabases) {
  describe(`settings of keys on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedDatabase;
    let keys: Keys;
    let accountId: string;

    before(async () => {
      opened = await openTested(tested);
      keys = new Keys({ db: opened.db, clock, ids: idSource(clock) });
      accountId = await fundedAccount(opened.db, clock, USD);
    });
    after(() => opened?.drop());

    const keysAt = (ms: number) => {
      const later = new ManualClock(ms);
      return new Keys({ db: opened.db, clock: later, ids: idSource(later) });
    };
    const untilOf = async (secret: string) =>
      (await new AccessStore(opened.db).findByHash(hashKey(secret)))?.untilMs ?? null;

    test('a key has no budget, expiry or list of models unless they are set', async () => {
      const { key } = await keys.create(accountId, {}, COMMAND_LINE);
      assert.deepEqual([key.budget, key.models, key.expiresAtMs, key.previousUntilMs], [null, null, null, null]);
    });

    test('a key keeps what it is made with', async () => {
      const expiresAtMs = startMs + HOUR_MS;
      const made = { budget: 5n * USD, reset: 'month', expiresAtMs, models: ['tide-70b'] } as const;
      const { key, secret } = await keys.create(accountId, made, COMMAND_LINE);
      assert.deepEqual(key.budget, { amount: 5n * USD, reset: 'month', fromMs: NEW_YEAR, spent: 0n, held: 0n });
      assert.deepEqual([key.models, key.expiresAtMs], [['tide-70b'], expiresAtMs]);
      assert.equal(await untilOf(secret), expiresAtMs);
    });

    test('scopes are kept in one order, and addresses each once; null takes them away', async () => {
      const made = { scopes: ['manage', 'inference', 'manage'], addresses: [' 10.0.0.0/8', '10.0.0.0/8'] } as const;
      const { key } = await keys.create(accountId, made, COMMAND_LINE);
      assert.deepEqual([key.scopes, key.addresses], [['inference', 'manage'], ['10.0.0.0/8']]);
      const changed = await keys.update(key.id, { scopes: null, addresses: null }, COMMAND_LINE);
      assert.deepEqual([changed.scopes, changed.addresses], [null, null]);
      for (const settings of [{ scopes: [] }, { addresses: [] }, { addresses: ['example.com'] }]) {
        await assert.rejects(keys.create(accountId, settings, COMMAND_LINE), { code: 'invalid_request' });
        await assert.rejects(keys.update(key.id, settings, COMMAND_LINE), { code: 'invalid_request' });
      }
    });

    test('a key belongs to a member of its own account, or to nobody', async () => {
      const members = new Members({ db: opened.db, clock, ids: idSource(clock) });
      const other = await fundedAccount(opened.db, clock, USD);
      await members.invite('ada@example.com', { accountId, role: 'developer' }, COMMAND_LINE);
      await members.invite('eve@example.com', { accountId: other, role: 'owner' }, COMMAND_LINE);
      const { key } = await keys.create(accountId, { member: ' Ada@Example.com ' }, COMMAND_LINE);
      const [used] = (await keys.listUsed(accountId)).filter((one) => one.key.id === key.id);
      assert.equal(used?.member, 'ada@example.com');
      for (const member of ['eve@example.com', 'nobody@example.com', 'no address']) {
        await assert.rejects(keys.update(key.id, { member }, COMMAND_LINE), { code: 'invalid_request' });
        await assert.rejects(keys.create(accountId, { member }, COMMAND_LINE), { code: 'invalid_request' });
      }
      assert.equal((await keys.update(key.id, { member: null }, COMMAND_LINE)).memberId, null);
    });

    test('settings change one by one; those left out stay', async () => {
      const { key } = await keys.create(
        accountId,
        { name: 'ci', budget: USD, reset: 'day', models: ['a', 'b'] },
        COMMAND_LINE,
      );
      const renamed = await keys.update(key.id, { name: 'build' }, COMMAND_LINE);
      assert.deepEqual(renamed, { ...key, name: 'build' });
      const raised = await keys.update(key.id, { budget: 2n * USD }, COMMAND_LINE);
      assert.deepEqual([raised.budget?.amount, raised.budget?.reset], [2n * USD, 'day']);
      const freed = await keys.update(key.id, { budget: null, models: null, expiresAtMs: null }, COMMAND_LINE);
      assert.deepEqual([freed.budget, freed.models, freed.expiresAtMs], [null, null, null]);
    });

    test('a change of the amount keeps what was spent; a period that begins later does not', async () => {
      const { key } = await keys.create(accountId, { budget: 10n * USD, reset: 'month' }, COMMAND_LINE);
      await opened.db.knex('api_keys').where({ id: key.id }).update({ budget_spent: 7, budget_held: 2 });
      const lower = await keys.update(key.id, { budget: 5n }, COMMAND_LINE);
      assert.deepEqual([lower.budget?.spent, lower.budget?.held], [7n, 2n]);
      // The first of January began with the month: the same moment, the same orders.
      assert.deepEqual((await keys.update(key.id, { reset: 'day' }, COMMAND_LINE)).budget?.spent, 7n);
      const later = await keysAt(startMs + 25 * HOUR_MS).update(key.id, { budget: 6n }, COMMAND_LINE);
      assert.deepEqual([later.budget?.spent, later.budget?.held], [0n, 0n]);
    });

    for (const [name, settings] of [
      ['a budget of 0', { budget: 0n }],
      ['a negative budget', { budget: -1n }],
      ['a budget beyond a million dollars', { budget: 1_000_001n * USD }],
      ['a reset without a budget', { reset: 'day' }],
      ['an expiry that has passed', { expiresAtMs: startMs }],
      ['an expiry that is no number', { expiresAtMs: Number.NaN }],
      ['no model at all', { models: [] }],
      ['an empty name', { name: '' }],
    ] as const) {
      test(`${name} is refused, for new keys and old ones`, async () => {
        const { key } = await keys.create(accountId, {}, COMMAND_LINE);
        await assert.rejects(keys.create(accountId, settings, COMMAND_LINE), { code: 'invalid_request' });
        await assert.rejects(keys.update(key.id, settings, COMMAND_LINE), { code: 'invalid_request' });
        await keys.revoke(key.id, COMMAND_LINE);
      });
    }

    test('a revoked key is neither changed nor rotated, and an unknown one is not found', async () => {
      const { key } = await keys.create(accountId, {}, COMMAND_LINE);
      await keys.revoke(key.id, COMMAND_LINE);
      await assert.rejects(keys.update(key.id, { name: 'x' }, COMMAND_LINE), {
        code: 'invalid_request',
        message: /is revoked/,
      });
      await assert.rejects(keys.rotate(key.id, { overlapMs: 0 }, COMMAND_LINE), {
        code: 'invalid_request',
        message: /is revoked/,
      });
      await assert.rejects(keys.rotate('nobody', { overlapMs: 0 }, COMMAND_LINE), { code: 'not_found' });
    });

    test('a rotated key has a new secret, and the former for a while', async () => {
      const first = await keys.create(accountId, { name: 'server', budget: USD }, COMMAND_LINE);
      const second = await keys.rotate(first.key.id, { overlapMs: HOUR_MS }, COMMAND_LINE);
      const { hint, previousUntilMs, ...same } = second.key;
      const { hint: before, previousUntilMs: never, ...was } = first.key;
      assert.deepEqual(same, was);
      assert.notEqual(hint, before);
      assert.deepEqual([never, previousUntilMs], [null, startMs + HOUR_MS]);
      assert.deepEqual([await untilOf(first.secret), await untilOf(second.secret)], [startMs + HOUR_MS, null]);
      // By its former secret, too. The one before that is nobody's from then on.
      const third = await keys.rotate(first.secret, { overlapMs: 0 }, COMMAND_LINE);
      assert.equal(await new AccessStore(opened.db).findByHash(hashKey(first.secret)), null);
      assert.deepEqual([await untilOf(second.secret), await untilOf(third.secret)], [startMs, null]);
      assert.equal((await keys.revoke(second.secret, COMMAND_LINE)).revokedAtMs, startMs);
    });

    test('an expiry before the end of the overlap ends the former secret, too', async () => {
      const { key, secret } = await keys.create(accountId, { expiresAtMs: startMs + HOUR_MS }, COMMAND_LINE);
      await keys.rotate(key.id, { overlapMs: 2 * HOUR_MS }, COMMAND_LINE);
      assert.equal(await untilOf(secret), startMs + HOUR_MS);
    });

    test('an expired key does not count among the active ones', async () => {
      const other = await fundedAccount(opened.db, clock, 0n);
      await keys.create(other, { activeMax: 1, expiresAtMs: startMs + 1 }, COMMAND_LINE);
      await assert.rejects(keys.create(other, { activeMax: 1 }, COMMAND_LINE), { code: 'too_many_keys' });
      assert.ok((await keysAt(startMs + 1).create(other, { activeMax: 1 }, COMMAND_LINE)).secret);
    });

    test('what a member changes is logged with the key, and what the command line changes is not', async () => {
      const by = { email: 'ada@example.com', accountId };
      const { key } = await keys.create(accountId, { name: 'logged' }, by);
      const named = { accountId, id: key.id };
      await keys.update(named, { name: 'renamed' }, by);
      await keys.rotate(named, { overlapMs: HOUR_MS }, by);
      await keys.update(key.id, { name: 'again' }, COMMAND_LINE);
      await keys.revoke(named, by);
      await assert.rejects(keys.revoke(named, by), { code: 'not_found', message: /no active key/ });
      await assert.rejects(keys.update({ ...named, accountId: 'another' }, { name: 'x' }, by), { code: 'not_found' });
      await keys.revoke(key.id, COMMAND_LINE);
      const rows = await opened.db.knex('audit_log').where({ subject: key.id }).orderBy('id');
      assert.deepEqual(
        rows.map(({ who, what, account_id: account }) => [who, what, account]),
        ['create', 'update', 'rotate', 'revoke'].map((verb) => [by.email, `key.${verb}`, accountId]),
      );
      assert.deepEqual([JSON.parse(rows[3].before_json).name, rows[3].after_json], ['again', null]);
    });
  });
}
