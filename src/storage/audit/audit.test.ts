/** The audit finds each kind of damage to a sound ledger, on every database. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Knex } from 'knex';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { chargeOf } from '#ledger/tariff.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, marketTariff, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { FolderBlobs } from '../blobs/blobs.ts';
import { sweepBlobs } from '../cleanup/sweep-unowned.ts';
import { createJournal, type Journal } from '../journal/journal.ts';
import { audit } from './index.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);
const LEVEL = 500_000_000;
const QUOTE = 600_000_000;
const HOLD = 5000n;

/** Damage done by hand, in SQL, and the audit's finding. */
interface Damage {
  readonly name: string;
  readonly finding: RegExp;
  harm(knex: Knex, ids: Sound): Promise<unknown>;
}

interface Sound {
  readonly accountId: string;
  readonly done: string;
  readonly running: string;
  readonly queued: string;
  readonly locked: string;
  /** An order whose result is a blob. */
  readonly kept: string;
  /** An order whose result is a row. */
  readonly small: string;
}

const damages: readonly Damage[] = [
  {
    name: 'a balance that is not the sum of the entries',
    finding: /the balance is .* its entries sum to/,
    harm: (knex, { accountId }) => knex('accounts').where({ id: accountId }).increment('balance', 1),
  },
  {
    name: 'money held for no order',
    finding: /is held, its executing orders hold/,
    harm: (knex, { accountId }) => knex('accounts').where({ id: accountId }).increment('held', 1),
  },
  {
    name: 'an order that cannot be read',
    finding: /^Order .* cannot be read\.$/m,
    harm: (knex, { queued }) => knex('orders').where({ id: queued }).update({ kind: 'zzz' }),
  },
  {
    name: 'an account that cannot be read',
    finding: /^Account .* cannot be read\.$/m,
    harm: (knex, { accountId }) => knex('accounts').where({ id: accountId }).update({ status: 'zzz' }),
  },
  {
    name: 'a usage row of another key',
    finding: /its usage is not its own/,
    harm: (knex, { done }) => knex('usage_records').where({ order_id: done }).update({ key_id: 'key_other' }),
  },
  {
    name: 'a hold on an order that does not run',
    finding: /it holds 1/,
    harm: (knex, { queued }) => knex('orders').where({ id: queued }).update({ hold: 1 }),
  },
  {
    name: 'a size of stored results that is not their sum',
    finding: /bytes are counted/,
    harm: (knex, { accountId }) => knex('accounts').where({ id: accountId }).increment('stored_bytes', 1),
  },
  {
    name: 'a stored result that no sweep would find',
    finding: /is stored and not entered/,
    harm: (knex, { kept }) => knex('results').where({ order_id: kept }).delete(),
  },
  {
    name: 'a settled order without its usage row',
    finding: /it has no usage row/,
    harm: (knex, { done }) => knex('usage_records').where({ order_id: done }).delete(),
  },
  {
    name: 'a usage row of an order that is not settled',
    finding: /it has a usage row/,
    harm: (knex, { done }) => knex('orders').where({ id: done }).update({ status: 'error', error: 'backend_error' }),
  },
  {
    name: 'a charge that does not follow from the tokens',
    finding: /its tokens cost/,
    harm: (knex, { done }) => knex('usage_records').where({ order_id: done }).increment('output_tokens', 1),
  },
  {
    name: 'a charge above its bound',
    finding: /it was charged .*, and 1 was the most/,
    harm: (knex, { done }) => knex('orders').where({ id: done }).update({ max_charge: 1 }),
  },
  {
    name: 'a hold above the bound of the charge',
    finding: /it holds 5000, and may be charged 4999 at most/,
    harm: (knex, { running }) => knex('orders').where({ id: running }).update({ max_charge: 4999 }),
  },
  {
    name: 'an entry that differs from its usage row',
    finding: /its entry says/,
    harm: (knex, { done }) => knex('entries').where({ order_id: done, kind: 'charge' }).increment('amount', 1),
  },
  {
    name: 'a charge without an order',
    finding: /has no usage row/,
    harm: (knex, { accountId }) =>
      knex('entries').insert({
        account_id: accountId,
        unique_key: 'charge:x',
        id: 'x',
        kind: 'charge',
        amount: 0,
        order_id: 'x',
        created_at_ms: 0,
      }),
  },
  {
    name: 'an order that ran at another price than was due',
    finding: /it ran at .* where .* was due/,
    harm: (knex) =>
      knex('levels')
        .where({ level_seq: 1 })
        .update({ level: LEVEL - 1 }),
  },
  {
    name: 'a level that was never published',
    finding: /there is no level 9/,
    harm: (knex, { running }) => knex('orders').where({ id: running }).update({ level_seq: 9 }),
  },
  {
    name: 'a lock above its quote',
    finding: /its bid is above its quote/,
    harm: (knex, { queued }) => knex('orders').where({ id: queued }).update({ price_lock: 1, quote_at_submission: 1 }),
  },
  {
    name: 'a price above that of the first admission',
    finding: /above its first price/,
    harm: (knex, { running }) => knex('orders').where({ id: running }).update({ price_cap: 1 }),
  },
  {
    name: 'an end without a time',
    finding: /its end and its status disagree/,
    harm: (knex, { done }) => knex('orders').where({ id: done }).update({ finished_at_ms: null }),
  },
  {
    name: 'times that run backwards',
    finding: /its times run backwards/,
    harm: (knex, { done }) => knex('orders').where({ id: done }).update({ finished_at_ms: 5 }),
  },
  {
    name: 'a queued order that carries an admission',
    finding: /it carries an admission/,
    harm: (knex, { queued }) =>
      knex('orders')
        .where({ id: queued })
        .update({ admitted_at_ms: startMs + 1 }),
  },
  {
    name: 'more failures than an order may have',
    finding: /it failed 5 times/,
    harm: (knex, { queued }) => knex('orders').where({ id: queued }).update({ failures: 5 }),
  },
  {
    name: 'a daily sum that is not that of its rows',
    finding: /are not those of its usage rows/,
    harm: (knex, { accountId }) => knex('usage_days').where({ account_id: accountId }).increment('charged', 1),
  },
  {
    name: 'usage rows without a daily sum',
    finding: /has usage rows and no sums/,
    harm: (knex, { accountId }) => knex('usage_days').where({ account_id: accountId }).delete(),
  },
  {
    name: 'totals of a day that are not those of its orders',
    finding: /totals of day \d+ tide-70b chat done single market are not those of its orders/,
    harm: (knex, { accountId }) => knex('order_days').where({ account_id: accountId }).increment('orders', 1),
  },
  {
    name: 'totals of an hour that are not those of its orders',
    finding: /totals of hour \d+ tide-70b chat done single market are not those of its orders/,
    harm: (knex, { accountId }) => knex('order_hours').where({ account_id: accountId }).increment('charged', 1),
  },
  {
    name: 'orders that ended and are in no totals',
    finding: /are in no totals/,
    harm: (knex, { accountId }) => knex('order_days').where({ account_id: accountId }).delete(),
  },
  {
    name: 'statistics that are not those of the usage rows',
    finding: /sums of bucket tide-70b \d+ are not those of its usage rows/,
    harm: (knex) => knex('model_tokens').increment('requests', 1),
  },
  {
    name: 'a tag of an order that does not exist',
    finding: /^Order nothing: the tag search is listed and not its own\.$/m,
    harm: (knex, { queued }) =>
      knex('order_tags').where({ order_id: queued, tag: 'search' }).update({ order_id: 'nothing' }),
  },
  {
    name: 'usage by a tag that its order does not have',
    finding: /: its usage is listed by the tag other, not its own/,
    harm: (knex, { done }) => knex('usage_tags').where({ order_id: done, tag: 'search' }).update({ tag: 'other' }),
  },
  {
    name: 'usage by a tag that is not all of its orders',
    finding: /: its settled orders have 6 tags, 5 are listed/,
    harm: (knex, { done }) => knex('usage_tags').where({ order_id: done, tag: 'search' }).delete(),
  },
  {
    name: 'an order that its tags do not find',
    finding: /: its orders have 12 tags, 10 are listed/,
    harm: (knex, { queued }) => knex('order_tags').where({ order_id: queued }).delete(),
  },
  {
    name: 'usage that is in no statistics',
    finding: /Bucket tide-70b \d+ has usage rows and no sums/,
    harm: (knex) => knex('model_tokens').delete(),
  },
  {
    name: 'a refund that its usage row does not show',
    finding: /its usage row shows/,
    harm: (knex, { done }) => knex('usage_records').where({ order_id: done }).increment('refunded', 1),
  },
  {
    name: 'a key that an uncharged order still holds',
    finding: /Idempotency-Key of .* should be free/,
    harm: (knex, { accountId }) =>
      knex('idempotency_keys').insert({
        account_id: accountId,
        endpoint: 'chat',
        idempotency_key: 'k',
        order_id: 'gone',
        fingerprint: 'f',
        created_at_ms: 0,
        expires_at_ms: 1,
      }),
  },
  {
    name: 'an input that is kept after the end',
    finding: /The input of .* is still kept/,
    harm: (knex, { done }) => knex('order_bodies').insert({ order_id: done, body: '{}' }),
  },
  {
    name: 'a gap in the levels',
    finding: /the numbers of its levels have gaps/,
    harm: (knex) => knex('levels').where({ level_seq: 2 }).update({ level_seq: 3 }),
  },
  {
    name: 'a level outside its bounds',
    finding: /leave 0 to/,
    harm: (knex) => knex('levels').where({ level_seq: 2 }).update({ level: '1000000000000001' }),
  },
  {
    name: 'a newest level that is not the newest',
    finding: /is not the one kept as newest/,
    harm: (knex) => knex('markets').update({ level_seq: 1 }),
  },
  {
    name: 'a gap in the quotes',
    finding: /there is no quote 2/,
    harm: (knex) => knex('quotes').where({ quote_seq: 2 }).delete(),
  },
  {
    name: 'a window that runs backwards',
    finding: /the window of quote 2 runs backwards/,
    harm: (knex) => knex('quotes').where({ quote_seq: 2 }).update({ at_ms: 0 }),
  },
  {
    name: 'a newest quote that is not the newest',
    finding: /its newest quote is not the one kept as newest/,
    harm: (knex) => knex('quote_states').update({ quote_seq: 2 }),
  },
  {
    name: 'a lock that bids something else than the lower of quote and limit',
    finding: /its bid is not the lower of quote and limit/,
    harm: (knex, { locked }) =>
      knex('orders')
        .where({ id: locked })
        .update({ bid: QUOTE - 1 }),
  },
  {
    name: 'a lock with a quote that never stood',
    finding: /no quote of 77 stood/,
    harm: (knex, { locked }) => knex('orders').where({ id: locked }).update({ bid: 77, quote_at_submission: 77 }),
  },
  {
    name: 'a promised result that was never stored',
    finding: /its promised result was never stored/,
    harm: (knex, { kept }) => knex('orders').where({ id: kept }).update({ result_state: 'promised' }),
  },
  {
    name: 'a body of a deleted result',
    finding: /belongs to no living result/,
    harm: (knex, { kept }) => knex('orders').where({ id: kept }).update({ result_state: 'deleted' }),
  },
  {
    name: 'a small body of a deleted result',
    finding: /belongs to no living result/,
    harm: (knex, { small }) => knex('orders').where({ id: small }).update({ result_state: 'deleted' }),
  },
  {
    name: 'a stored result whose small body is gone',
    finding: /its body is not there/,
    harm: (knex, { small }) => knex('stored_answers').where({ order_id: small }).delete(),
  },
  {
    name: 'a small body without an order',
    finding: /The body nobody belongs to no living result/,
    harm: (knex) => knex('stored_answers').insert({ order_id: 'nobody', body: '{}' }),
  },
];

for (const tested of testedDatabases) {
  describe(`audit on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let folder: string;
    let blobs: FolderBlobs;
    let sound: Sound;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sluice-blobs-'));
      blobs = new FolderBlobs(folder);
      opened = await openTested(tested);
      sound = await buildLedger(opened, blobs);
    });
    after(async () => {
      await opened?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Damages the ledger, runs the audit, and restores everything. */
    async function harmed(harm: (knex: Knex) => Promise<unknown>): Promise<readonly string[]> {
      const tables = [
        'accounts',
        'entries',
        'orders',
        'usage_records',
        'usage_days',
        'order_days',
        'order_hours',
        'results',
        'stored_answers',
        'model_tokens',
        'order_tags',
        'usage_tags',
        'levels',
        'markets',
        'quotes',
        'quote_states',
      ];
      const copies = new Map<string, object[]>();
      for (const table of tables) copies.set(table, await opened.db.knex(table));
      await harm(opened.db.knex);
      const { ok, findings } = await audit(opened.db, blobs, { nowMs: startMs });
      for (const table of ['order_bodies', 'idempotency_keys']) await opened.db.knex(table).delete();
      for (const [table, rows] of copies) {
        await opened.db.knex(table).delete();
        await opened.db.knex(table).insert(rows);
      }
      assert.equal(ok, findings.length === 0);
      return findings;
    }

    test('a sound ledger has no findings', async () => {
      assert.deepEqual(await audit(opened.db, blobs, { nowMs: startMs }), {
        ok: true,
        accounts: 2,
        orders: 7,
        findings: [],
        acknowledged: 0,
      });
    });

    for (const { name, finding, harm } of damages) {
      test(`it finds ${name}`, async () => {
        const findings = await harmed((knex) => harm(knex, sound));
        assert.ok(
          findings.some((sentence) => finding.test(sentence)),
          findings.join('\n') || 'nothing was found',
        );
        assert.equal((await audit(opened.db, blobs, { nowMs: startMs })).ok, true);
      });
    }

    test('a value that cannot be read ends the check of its order alone', {
      skip: tested.name !== 'SQLite' && 'the columns of MariaDB take numbers only',
    }, async () => {
      const findings = await harmed(async (knex) => {
        await knex('usage_records').where({ order_id: sound.done }).update({ charged: 'much' });
        await knex('orders').where({ id: sound.queued }).update({ failures: 5 });
      });
      assert.match(findings.join('\n'), new RegExp(`The check of order ${sound.done} met a value that cannot be read`));
      assert.match(findings.join('\n'), /it failed 5 times/);
    });

    test('it finds a stored result without its blob, unless it has expired', async () => {
      const body = await blobs.get(sound.kept);
      await blobs.delete(sound.kept);
      const [finding = ''] = (await audit(opened.db, blobs, { nowMs: startMs })).findings;
      assert.match(finding, /its body is not there/);
      assert.equal((await audit(opened.db, blobs, { nowMs: startMs + 10_000 })).ok, true);
      assert.equal((await audit(opened.db, null, { nowMs: startMs })).ok, true);
      await blobs.put(sound.kept, body ?? new Uint8Array());
    });

    test('it finds a blob without an order, which a sweep deletes and nothing else', async () => {
      await blobs.put(ids.uuid(), new Uint8Array([1]));
      assert.equal((await audit(opened.db, blobs, { nowMs: startMs })).findings.length, 1);
      assert.equal(await sweepBlobs(opened.db, blobs), 1);
      assert.deepEqual((await audit(opened.db, blobs, { nowMs: startMs })).findings, []);
    });

    test('it finds a pod that runs more orders than it has slots, and a level outside configured bounds', async () => {
      const slots = new Map([['sim-1', 0]]);
      const bounds = new Map([['tide-70b', { floor: 0, ceiling: LEVEL - 1 }]]);
      const { findings } = await audit(opened.db, blobs, { nowMs: startMs, slots, bounds });
      assert.match(findings.join('\n'), /Pod sim-1 runs 1 orders in 0 slots/);
      assert.match(findings.join('\n'), /Market tide-70b: levels from/);
      assert.match(findings.join('\n'), /Market tide-70b: quote 1 leaves its bounds/);
    });
  });
}

/** Two accounts and an order of each kind, refunds included, written by the audited code. */
async function buildLedger({ db }: OpenedDatabase, blobs: FolderBlobs): Promise<Sound> {
  const parts = { db, clock, ids };
  const { id: accountId } = await new Accounts(parts).create({ name: 'audited' }, COMMAND_LINE);
  const { id: houseId } = await new Accounts(parts).house();
  await new Transfers(parts).credit(accountId, 25_000n, { force: true }, COMMAND_LINE);
  const journal = createJournal(db, { clock, log: silentLog });
  for (const [index, level] of [LEVEL, LEVEL + 1].entries()) {
    await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: index + 1, level, atMs: startMs + index });
  }
  const charge = chargeOf(marketTariff, LEVEL, settleUnit(orderRow({ accountId }), 0n).tokens);
  await writeQuotes(journal);
  const [done, running, queued, kept, small, probe] = [
    orderRow({ accountId }),
    orderRow({ accountId }),
    orderRow({ accountId }),
    orderRow({ accountId, outlives: true, resultState: 'promised', resultExpiresAtMs: startMs + 5000 }),
    orderRow({ accountId, resultState: 'promised' }),
    orderRow({ accountId: houseId, house: true }),
  ];
  const locked = orderRow({
    accountId,
    bid: QUOTE,
    limit: QUOTE + 5,
    priceLock: true,
    quoteAtSubmission: QUOTE,
  });
  await journal.write(acceptUnit(queued));
  await journal.write(acceptUnit(locked));
  for (const order of [done, running, kept, small, probe]) {
    await journal.write(acceptUnit(order, { admission: admissionOf(HOLD) }));
  }
  await blobs.put(kept.id, new TextEncoder().encode('{}'));
  await journal.write(settleUnit(done, charge));
  await journal.write(settleUnit(kept, charge, { resultBytes: 2, resultExpiresAtMs: startMs + 5000 }));
  const body = { resultBytes: 2, resultText: '{}', resultExpiresAtMs: startMs + 5000 };
  await journal.write(settleUnit(small, charge, body));
  await journal.write(settleUnit(probe, charge));
  await journal.close();
  await new Transfers(parts).refund(accountId, 5n, { orderId: done.id }, COMMAND_LINE);
  return {
    accountId,
    done: done.id,
    running: running.id,
    queued: queued.id,
    locked: locked.id,
    kept: kept.id,
    small: small.id,
  };
}

/** Three windows; orders are created in the second. */
async function writeQuotes(journal: Journal): Promise<void> {
  for (const [index, price] of [QUOTE + 1, QUOTE, QUOTE - 1].entries()) {
    const atMs = startMs + (index - 1) * 10_000;
    const window = { atMs, untilMs: atMs + 10_000, state: null };
    await journal.write({ kind: 'quote', model: 'tide-70b', quoteSeq: index + 1, price, ...window });
  }
}
