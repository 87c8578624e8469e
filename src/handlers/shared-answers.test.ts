import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { SharedAnswers } from './conditional.ts';

const START_MS = 1_000_000;

/** Answers kept for five seconds; `builds` counts how often one was built. */
function answers() {
  const clock = new ManualClock(START_MS);
  const shared = new SharedAnswers(clock, 5);
  const seen = { builds: 0 };
  const ask = (name = 'one', build = async () => ({ name, build: ++seen.builds })) => shared.reply({}, name, build);
  return { clock, shared, seen, ask };
}

const textOf = (reply: object) => ('raw' in reply ? String(reply.raw) : null);

test('500 who ask at once get what one build returned, and so does a caller who asks before it is too old', async () => {
  const { clock, seen, ask } = answers();
  const replies = await Promise.all(Array.from({ length: 500 }, () => ask()));
  await clock.advance(4_999);
  replies.push(await ask());
  assert.equal(seen.builds, 1);
  assert.equal(new Set(replies.map((reply) => ('raw' in reply ? reply.raw : null))).size, 1);
});

test('the next one is built when it is too old, and max-age says when that is', async () => {
  const { clock, ask } = answers();
  assert.equal((await ask()).headers?.['cache-control'], 'public, max-age=5');
  await clock.advance(3_500);
  assert.equal((await ask()).headers?.['cache-control'], 'public, max-age=2');
  await clock.advance(1_500);
  assert.equal(textOf(await ask()), '{"name":"one","build":2}');
});

test('each name has its own answer', async () => {
  const { ask } = answers();
  assert.notEqual(textOf(await ask('one')), textOf(await ask('two')));
});

test('a failure is passed to all who wait, and the next caller tries again', async () => {
  const { seen, ask } = answers();
  let tries = 0;
  const failing = async () => {
    tries++;
    throw new Error('no database');
  };
  const asked = await Promise.allSettled([ask('one', failing), ask('one', failing)]);
  assert.deepEqual([asked.map(({ status }) => status), tries], [['rejected', 'rejected'], 1]);
  await ask();
  assert.equal(seen.builds, 1);
});

test('304 for a caller that has it', async () => {
  const { shared, ask } = answers();
  const { etag = '' } = (await ask()).headers ?? {};
  const reply = await shared.reply({ 'if-none-match': etag }, 'one', async () => assert.fail('It is fresh.'));
  assert.equal(reply.status, 304);
});
