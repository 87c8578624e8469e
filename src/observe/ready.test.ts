import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/listings.ts';
import { readyView } from './ready.ts';

const viewOf = (...pods: { model: string; healthy: boolean }[]) => readyView(someListings(), { counts: () => pods });

test('the ready models take requests and have pods, healthy or not', () => {
  const everywhere = ['gone-3b', 'soon-1b', 'tide-70b'].map((model) => ({ model, healthy: false }));
  assert.deepEqual(
    viewOf(...everywhere)
      .ready()
      .map(({ id }) => id),
    ['tide-70b'],
  );
});

test('a model is degraded while none of its pods is healthy, or without pods', () => {
  const view = viewOf({ model: 'tide-70b', healthy: false }, { model: 'rock-8b', healthy: true });
  assert.deepEqual(
    ['tide-70b', 'rock-8b', 'gone-3b'].map((model) => view.degraded(model)),
    [true, false, true],
  );
  const one = viewOf({ model: 'tide-70b', healthy: false }, { model: 'tide-70b', healthy: true });
  assert.equal(one.degraded('tide-70b'), false);
});

test('a preview is never degraded, although nothing serves it', () => {
  assert.equal(viewOf().degraded('soon-1b'), false);
});

test('all models are degraded when no model on sale has a healthy pod', () => {
  assert.equal(viewOf({ model: 'tide-70b', healthy: false }).degraded(null), true);
  assert.equal(viewOf({ model: 'rock-8b', healthy: true }).degraded(null), false);
  // A deprecated model takes no requests, even if its pods are healthy.
  assert.equal(viewOf({ model: 'gone-3b', healthy: true }).degraded(null), true);
});
