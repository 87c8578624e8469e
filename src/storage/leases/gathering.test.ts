import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMariadb, skipMariadb } from '#testing/mariadb.ts';
import { Gathering } from './gathering.ts';
import { LeaseLine } from './session.ts';

const numbers = Array.from({ length: 1_100 }, (_, at) => at);

test('what nobody can be asked is refused, each of it', async () => {
  const line = new LeaseLine('mysql://root@127.0.0.1:1/none', 10_000);
  const gathering = new Gathering(line, async (_connection, asked: readonly number[]) => asked);
  const results = await Promise.allSettled(numbers.map((number) => gathering.ask(number)));
  assert.ok(results.every(({ status }) => status === 'rejected'));
  await line.close();
  await assert.rejects(gathering.ask(1), /has left the database/);
});

test('each gets its own answer, in few turns, and a failure is that of one turn', { skip: skipMariadb }, async () => {
  const opened = await openMariadb();
  const line = new LeaseLine(opened.url, 10_000);
  const turns: number[] = [];
  const gathering = new Gathering(line, async (connection, asked: readonly number[]) => {
    turns.push(asked.length);
    await connection.query(asked.includes(0) && turns.length > 3 ? 'planted' : 'SELECT 1');
    return asked.map((number) => number * 2);
  });
  const ask = () => Promise.allSettled(numbers.map((number) => gathering.ask(number)));
  try {
    assert.deepEqual(
      (await ask()).map((result) => result.status === 'fulfilled' && result.value),
      numbers.map((number) => number * 2),
    );
    assert.deepEqual(turns, [500, 500, 100]);
    const refused = (await ask()).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 500);
  } finally {
    await line.close();
    await opened.drop();
  }
});
