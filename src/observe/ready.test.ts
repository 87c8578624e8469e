import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/calls.ts';
import { readyView } from './ready.ts';

const viewOf = (...pods: { model: string; healthy: boolean }[]) => readyView(someListings(), { counts: () => pods });

test('a model is ready while one of its pods is healthy', () => {
  const view = viewOf({ model: 'tide-70b', healthy: false }, { model: 'tide-70b', healthy: true });
  assert.deepEqual([view.ready('tide-70b'), view.degraded('tide-70b')], [true, false]);
});

test('a model without a healthy pod is degraded, and so is one without pods', () => {
  const view = viewOf({ model: 'tide-70b', healthy: false }, { model: 'rock-8b', healthy: true });
  assert.deepEqual([view.ready('tide-70b'), view.degraded('tide-70b'), view.degraded('gone-3b')], [false, true, true]);
});

test('a preview is never degraded, though nothing serves it', () => {
  assert.deepEqual([viewOf().ready('soon-1b'), viewOf().degraded('soon-1b')], [false, false]);
});

test('all models are degraded when no served one is ready', () => {
  assert.equal(viewOf({ model: 'tide-70b', healthy: false }).degraded(null), true);
  assert.equal(viewOf({ model: 'rock-8b', healthy: true }).degraded(null), false);
  // A deprecated model takes no requests, however well it is.
  assert.equal(viewOf({ model: 'gone-3b', healthy: true }).degraded(null), true);
});
