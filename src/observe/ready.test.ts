import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someListings } from '#testing/listings.ts';
import { readyView } from './probe.ts';

interface Pod {
  readonly model: string;
  readonly healthy: boolean;
}

/** What `answered` names answered in this process, what `before` names in an earlier one. */
function viewOver(pods: readonly Pod[], { answered = [] as string[], before = [] as string[], probing = true } = {}) {
  return readyView({
    listings: someListings(),
    pods: { counts: () => pods, answered: (model) => answered.includes(model) },
    answeredBefore: new Set(before),
    probing,
  });
}

const viewOf = (...pods: Pod[]) => viewOver(pods);
const idsOf = (listings: readonly { readonly id: string }[]) => listings.map(({ id }) => id);
const down = (...models: string[]) => models.map((model) => ({ model, healthy: false }));
const up = (...models: string[]) => models.map((model) => ({ model, healthy: true }));

test('the ready models take requests, have pods, healthy or not, and have answered, now or before a restart', () => {
  const answered = ['gone-3b', 'soon-1b', 'tide-70b'];
  for (const told of [{ answered }, { before: answered }]) {
    assert.deepEqual(idsOf(viewOver(down(...answered), told).ready()), ['tide-70b']);
    assert.deepEqual(idsOf(viewOver(down('rock-8b'), told).ready()), []);
  }
});

test('a model that has never answered is not ready, and is probed as soon as a pod is healthy', () => {
  const [waiting, loaded] = [viewOver(down('tide-70b')), viewOver(up('tide-70b'))];
  assert.deepEqual([idsOf(waiting.probed()), idsOf(waiting.ready())], [[], []]);
  assert.deepEqual([idsOf(loaded.probed()), idsOf(loaded.ready())], [['tide-70b'], []]);
  assert.equal(loaded.answered('tide-70b'), false);
});

test('a model that answered once is probed even when its pods are down', () => {
  const view = viewOver(down('tide-70b'), { answered: ['tide-70b'] });
  assert.deepEqual([idsOf(view.probed()), view.answered('tide-70b')], [['tide-70b'], true]);
});

test('where nothing is probed, a healthy pod makes its model ready', () => {
  assert.deepEqual(idsOf(viewOver(up('tide-70b'), { probing: false }).ready()), ['tide-70b']);
  assert.deepEqual(idsOf(viewOver(down('tide-70b'), { probing: false }).ready()), []);
});

// Spec 4.9-53
test('a model is degraded while none of its pods is healthy, or without pods', () => {
  const view = viewOf({ model: 'tide-70b', healthy: false }, { model: 'rock-8b', healthy: true });
  assert.deepEqual(
    ['tide-70b', 'rock-8b', 'gone-3b'].map((model) => view.degraded(model)),
    [true, false, true],
  );
  const one = viewOf({ model: 'tide-70b', healthy: false }, { model: 'tide-70b', healthy: true });
  assert.equal(one.degraded('tide-70b'), false);
});

// Spec 4.9-54
test('a preview is never degraded, although nothing serves it', () => {
  assert.equal(viewOf().degraded('soon-1b'), false);
});

test('all models are degraded when no model on sale has a healthy pod', () => {
  assert.equal(viewOf({ model: 'tide-70b', healthy: false }).degraded(null), true);
  assert.equal(viewOf({ model: 'rock-8b', healthy: true }).degraded(null), false);
  // A deprecated model takes no requests, even if its pods are healthy.
  assert.equal(viewOf({ model: 'gone-3b', healthy: true }).degraded(null), true);
});
