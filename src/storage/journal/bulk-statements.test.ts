/** The statements that MySQL gets: how many, in how many messages, and with what in them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { mysql } from '../database/dialects/mysql.ts';
import type { Row } from '../database/values.ts';
import { applyUnits } from './apply-units.ts';
import { bulkStatements, messagesOf } from './bulk-statements.ts';
import { type Operation, type RoundResult, type Shape, shape } from './operations.ts';
import { runSync } from './rounds.ts';
import type { JournalUnit } from './units.ts';

const TEXTS = shape({ act: 'insert', table: 'order_bodies', columns: ['order_id', 'body'] });

/** The messages of a transaction with these units, on a server that has a rich account and these orders. */
function messages(units: readonly JournalUnit[], orders: readonly Row[] = []): string[] {
  const sent: string[] = [];
  runSync(applyUnits(mysql, units, false), (round): RoundResult => {
    for (const { text } of messagesOf(round)) sent.push(text);
    return round.map(({ shape: { act, ...read } }) => {
      if (act !== 'read' || !('table' in read)) return [];
      if (read.table === 'accounts') return [{ id: 'a', balance: '1000000000', held: '64', stored_bytes: 0, house: 0 }];
      return read.table === 'orders' ? orders : [];
    });
  });
  return sent;
}

const statementsIn = (message: string) => message.split('; ').length;

describe('statements for many rows', () => {
  test('a transaction takes as many messages and statements with 256 units as with one', () => {
    const made = Array.from({ length: 256 }, () => orderRow({ accountId: 'a' }));
    const accepts = made.map((order) => acceptUnit(order, { admission: admissionOf(1n) }));
    const [read, write, ...more] = messages(accepts);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [statementsIn(read ?? ''), statementsIn(write ?? '')],
      messages(accepts.slice(0, 1)).map(statementsIn),
    );

    const rows = made.map(({ id }) => ({ id, status: 'executing', attempt: 1, hold: '0', account_id: 'a' }));
    const settles = made.map((order) => settleUnit(order, 1n, { hold: 0n }));
    const [one, many] = [messages(settles.slice(0, 1), rows.slice(0, 1)), messages(settles, rows)];
    assert.equal(many.length, 2);
    assert.deepEqual(many.map(statementsIn), one.map(statementsIn));
  });

  test('what is shared is locked in one order', () => {
    const places = ['c', 'a', 'b'].map((accountId) =>
      acceptUnit(orderRow({ accountId }), { admission: admissionOf(0n) }),
    );
    const [read] = runFirst(places);
    assert.match(
      read ?? '',
      /FROM accounts FORCE INDEX \(PRIMARY\) WHERE id IN \('a', 'b', 'c'\) ORDER BY id FOR UPDATE/,
    );
  });

  test('a long row is a message of its own, and no row is lost', () => {
    const rows = Array.from({ length: 9 }, (_, at) => [`${at}`, 'x'.repeat(at === 4 ? 2_000_000 : 200_000)]);
    const sent = [...messagesOf([{ shape: TEXTS, rows }])];
    assert.ok(sent.every(({ text }) => text.length < 2_700_000));
    assert.equal(
      sent.map(({ text }) => text.match(/\('\d', /g)?.length ?? 0).reduce((sum, count) => sum + count),
      9,
    );
  });

  test('no value can end its text, whatever the mode of the server', () => {
    const [text] = bulkStatements({ shape: TEXTS, rows: [[String.raw`\'; DROP TABLE orders; -- `, "'?\0\n\u001a"]] });
    const encoded = Buffer.from(String.raw`\'; DROP TABLE orders; -- `).toString('base64');
    assert.equal(
      text,
      `INSERT INTO order_bodies (order_id, body) VALUES (CONVERT(FROM_BASE64('${encoded}') USING utf8mb4), '''?\0\n\u001a')`,
    );
  });

  test('a number that is none is refused before it is sent, with its column', () => {
    const rows = [['1', Number.NaN]];
    for (const [refused, sentence] of [
      [{ shape: TEXTS, rows }, /^The column body cannot hold NaN\.$/],
      [
        {
          shape: shape({ act: 'set', table: 'orders', key: ['id'], columns: ['bid'], once: [], exact: false }),
          rows: [[Number.POSITIVE_INFINITY, 'o']],
        },
        /^The column bid cannot hold Infinity\.$/,
      ],
      [{ shape: shape({ act: 'plain', sql: 'SELECT ?' }), rows: [[Number.NaN]] }, /^A column cannot hold NaN\.$/],
    ] as const)
      assert.throws(
        () => [...bulkStatements(refused)],
        (error: Error) => {
          assert.match(error.message, sentence);
          assert.ok(mysql.isDataError(error));
          return true;
        },
      );
  });

  test('values are spelled exactly', () => {
    const statement: Shape = shape({ act: 'plain', sql: 'SELECT ?, ?, ?, ?, ?' });
    const operation: Operation = { shape: statement, rows: [[2n ** 62n, -1, null, Buffer.from([0, 255]), '$&']] };
    assert.deepEqual([...bulkStatements(operation)], ["SELECT 4611686018427387904, -1, NULL, X'00ff', '$&'"]);
  });
});

/** The first message of a transaction. */
function runFirst(units: readonly JournalUnit[]): string[] {
  const [round] = [...[applyUnits(mysql, units, false).next().value]];
  assert.ok(Array.isArray(round));
  return [...messagesOf(round)].map(({ text }) => text);
}
