import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { RunAccount } from './accounts.ts';
import { compareBooks, compareShown } from './books.ts';
import { Ledger, type Told } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** The columns that are compared, with one order `paid` that cost 30 of 100 nano-dollars. */
const BOOKS = `
  CREATE TABLE accounts (id, balance, held);
  CREATE TABLE orders (id, status, account_id, batch_id, custom_id);
  CREATE TABLE usage_records (order_id, account_id, charged);
  CREATE TABLE batches (id, account_id, status);
  INSERT INTO accounts VALUES ('acc_1', 70, 0);
  INSERT INTO orders VALUES ('paid', 'done', 'acc_1', NULL, NULL);
  INSERT INTO usage_records VALUES ('paid', 'acc_1', 30);`;
const ACCOUNT: RunAccount = { account: 'kept', id: 'acc_1', apiKey: 'sk', keyId: 'key_1', creditedNano: 100 };
const RECEIPT: Told = {
  ...{ account: 'kept', lane: 'kept', answer: '200', orderId: 'paid', meaning: 'charged' },
  receipt: { orderId: 'paid', chargedUsd: 30e-9 },
};
const LOST: Told = { ...RECEIPT, answer: 'broken', orderId: null, receipt: null, meaning: 'unknown' };

/** What is found in the books after `sql` has changed them, when clients were answered this. */
async function found(sql: string, told: readonly Told[], also: (ledger: Ledger) => void = () => {}): Promise<string[]> {
  const path = join(folder, `${++files}.sqlite`);
  const file = new Sqlite(path);
  file.exec(BOOKS + sql);
  file.close();
  const ledger = new Ledger(join(folder, `${files}.jsonl`));
  for (const each of told) ledger.tell(each);
  also(ledger);
  const { findings } = await compareBooks(`sqlite:${path}`, [ACCOUNT], ledger);
  await ledger.close();
  return [...ledger.findings, ...findings].map((finding) => finding.replace(/^minute .*?, life 0: /, ''));
}

const second = (status = 'done') => `
  INSERT INTO orders VALUES ('second', '${status}', 'acc_1', NULL, NULL);
  INSERT INTO usage_records VALUES ('second', 'acc_1', 20);
  UPDATE accounts SET balance = 50;`;

test('books that agree with what clients were answered have no finding', async () => {
  assert.deepEqual(await found('', [RECEIPT]), []);
});

test('a receipt without a charge, and one of another charge, are found', async () => {
  const other = { ...RECEIPT, orderId: 'gone', receipt: { orderId: 'gone', chargedUsd: 1e-9 } };
  assert.deepEqual(await found('', [RECEIPT, other]), ['1 receipts are in no book, such as gone 1']);
  const wrong = { ...RECEIPT, receipt: { orderId: 'paid', chargedUsd: 31e-9 } };
  assert.deepEqual(await found('', [wrong]), ['1 receipts differ from the books, such as paid 31']);
});

test('two receipts of one order that differ are found when the second comes', async () => {
  const wrong = { ...RECEIPT, receipt: { orderId: 'paid', chargedUsd: 31e-9 } };
  assert.equal((await found('', [wrong, RECEIPT]))[0], 'kept: order paid has receipts of 31 and 30 nano-dollars');
});

test('a charge that no client saw is found, unless a caller learned nothing', async () => {
  const [finding] = await found(second(), [RECEIPT]);
  assert.match(finding ?? '', /^account kept: 1 charges that no client saw, and only 0 requests .* such as second$/);
  assert.deepEqual(await found(second(), [RECEIPT, LOST]), []);
  assert.deepEqual(await found(second(), [RECEIPT, { ...LOST, orderId: 'second' }]), []);
});

test('a charge of an order that was refused is found', async () => {
  const refused: Told = { ...LOST, orderId: 'second', answer: '502 backend_error', meaning: 'refused' };
  const findings = await found(second(), [RECEIPT, LOST, refused]);
  assert.deepEqual(findings, ['1 orders were refused and charged, such as second 502 backend_error']);
});

test('a key with two orders, and one whose order was not charged, are found', async () => {
  const two = await found(second(), [RECEIPT, LOST], (ledger) => {
    ledger.finishKey('kept', 'k', 'paid');
    ledger.finishKey('kept', 'k', 'second');
  });
  assert.deepEqual(two, [
    'the key kept k was answered by the orders paid and second',
    '1 keys were not charged exactly once, such as kept k 2',
  ]);
  const none = await found('', [RECEIPT], (ledger) => ledger.finishKey('kept', 'k', 'gone'));
  assert.deepEqual(none, ['1 keys were not charged exactly once, such as kept k 0']);
});

test('a line of a batch that was charged twice is found', async () => {
  const lines = `
    INSERT INTO batches VALUES ('batch_1', 'acc_1', 'completed');
    INSERT INTO orders VALUES ('a', 'done', 'acc_1', 'batch_1', 'line-1'), ('b', 'done', 'acc_1', 'batch_1', 'line-1');
    INSERT INTO usage_records VALUES ('a', 'acc_1', 1), ('b', 'acc_1', 1);
    UPDATE accounts SET balance = 68;`;
  const findings = await found(lines, [RECEIPT], (ledger) => ledger.batches.set('batch_1', ['line-1']));
  assert.deepEqual(findings, ['1 lines were charged more than once, such as batch_1 line-1 2']);
});

test('an order whose cancellation was confirmed and that is not canceled is found', async () => {
  const findings = await found('', [RECEIPT], (ledger) => ledger.canceled.set('paid', 'detached'));
  assert.deepEqual(findings, ['1 orders were canceled and are not, such as paid detached']);
});

test('an order with two charges is found', async () => {
  const again = "INSERT INTO usage_records VALUES ('paid', 'acc_1', 30); UPDATE accounts SET balance = 40;";
  assert.deepEqual(await found(again, [RECEIPT]), ['1 orders were charged more than once, such as paid 2']);
});

test('orders and batches that have not ended, or that do not exist, are found', async () => {
  const live = `
    INSERT INTO orders VALUES ('waits', 'queued', 'acc_1', NULL, NULL);
    INSERT INTO batches VALUES ('batch_1', 'acc_1', 'cancelling');`;
  const accepted: Told = { ...LOST, orderId: 'gone', answer: '202', meaning: 'accepted' };
  const findings = await found(live, [RECEIPT, accepted], (ledger) => ledger.batches.set('batch_2', []));
  assert.deepEqual(findings, [
    '1 orders have not ended, such as waits queued',
    '1 accepted orders do not exist, such as gone kept',
    '1 batches have not ended, such as batch_1 cancelling',
    '1 batches do not exist, such as batch_2 ',
    'account kept: 1 batches that no client saw, and 0 cut answers',
  ]);
});

test('a balance that is not what was credited less what was charged, and money still held, are found', async () => {
  assert.deepEqual(await found('UPDATE accounts SET balance = 71, held = 5;', [RECEIPT]), [
    'account kept: 100 credited, 30 charged, 71 left (nano-dollars)',
    'account kept still holds 5 nano-dollars',
  ]);
});

/** What is found when the owner reads these usage records, on two pages, and this balance in nano-dollars. */
function shown(records: readonly [id: string, nano: number][], balance: number): string[] {
  const total = records.reduce((sum, [, nano]) => sum + nano, 0);
  const totals = { balance_usd: balance / 1e9, total_charged_usd: total / 1e9, total_requests: records.length };
  const data = records.map(([order_id, nano]) => ({ order_id, charged_usd: nano / 1e9 }));
  const pages = [
    { ...totals, data: data.slice(0, 2), next_cursor: 'x' },
    { data: data.slice(2), next_cursor: null },
  ];
  const charges = ['a', 'b', 'c'].map((id) => ({ id, account: 'kept', nano: 20 }));
  return compareShown(ACCOUNT, pages, charges);
}

test('an owner who reads every charge, on any page, and the balance has no finding', () => {
  const records: [string, number][] = ['a', 'b', 'c'].map((id) => [id, 20]);
  assert.deepEqual(shown(records, 40), []);
  assert.deepEqual(shown(records, 41), ['account kept: 3 requests, 60 charged and 41 left are stated (nano-dollars)']);
});

test('usage records that are missing, strange or of another charge are found', () => {
  const records: [string, number][] = ['a', 'b', 'd'].map((id) => [id, id === 'b' ? 30 : 20]);
  assert.deepEqual(shown(records, 30), [
    'account kept: 2 usage records differ, such as b 3e-8, d 2e-8',
    'account kept: 1 charges have no usage record, such as c 20',
    'account kept: 3 requests, 70 charged and 30 left are stated (nano-dollars)',
  ]);
});
