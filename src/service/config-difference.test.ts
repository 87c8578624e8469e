/** What a file changes in a running gateway, and what it does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '#config/config.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { differenceOf } from './reload.ts';

type Model = Record<string, unknown> & { readonly id: string };

const tide = marketModel('tide', 4) as unknown as Model;
const harbor = fixedModel('harbor', 4) as unknown as Model;

const configOf = (models: readonly Model[] = [tide, harbor], top: object = {}): Config =>
  parseConfig(selling(models as never, top), 'sluice.yaml', {});

const names = (changes: readonly { readonly setting: string }[]) => changes.map(({ setting }) => setting);

function difference(models: readonly Model[], top: object = {}) {
  const { next, changed, needsRestart } = differenceOf(configOf(), configOf(models, top));
  return { next, changed: names(changed), needsRestart: names(needsRestart) };
}

test('a file that says the same changes nothing', () => {
  const { changed, needsRestart } = difference([tide, harbor]);
  assert.deepEqual([changed, needsRestart], [[], []]);
});

test('ratios, facts, names, limits and the log level are taken; each is one change', () => {
  const { next, changed, needsRestart } = difference(
    [
      {
        ...tide,
        aliases: ['tide-latest'],
        pricing_ratio: { cached: 0.2, uncached: 1, output: 4 },
        catalog: { quantization: 'fp8' },
      },
      { ...harbor, deprecated: true, context_length: 16_384 },
    ],
    { limits: { queued_orders: 9 }, log_level: 'debug' },
  );
  assert.deepEqual(changed.sort(), [
    'limits.queued_orders',
    'log_level',
    'models[harbor].context_length',
    'models[harbor].deprecated',
    'models[tide].aliases',
    'models[tide].catalog.quantization',
    'models[tide].pricing_ratio',
  ]);
  assert.deepEqual(needsRestart, []);
  assert.equal(next.listings.find('tide-latest')?.id, 'tide');
});

test('a pod is one change when it comes or goes, and named by its setting when it stays', () => {
  const [pod] = tide.pods as Model[];
  assert.ok(pod);
  const { next, changed } = difference([
    { ...tide, pods: [{ ...pod, id: 'another' }] },
    { ...harbor, pods: [] },
  ]);
  assert.deepEqual(changed.sort(), ['pods[another]', 'pods[harbor-1]', 'pods[tide-1]']);
  assert.deepEqual(names(next.pods.map(({ id }) => ({ setting: id }))), ['another']);
  const slots = difference([{ ...tide, pods: [{ ...pod, slots: 99 }] }, harbor]);
  assert.deepEqual(slots.changed, ['pods[tide-1].slots']);
});

test('a model that is gone is sold on with its pods until a restart, without a name that another has now', () => {
  const before = configOf([{ ...tide, aliases: ['sea'] }, harbor]);
  const after = configOf([{ ...harbor, aliases: ['sea'] }]);
  const { next, changed, needsRestart } = differenceOf(before, after);
  assert.deepEqual(names(needsRestart), ['models[tide]', 'pods[tide-1]']);
  assert.equal(next.listings.find('tide')?.type, 'market');
  assert.equal(next.listings.find('sea')?.id, 'harbor');
  assert.equal(next.pods.length, before.pods.length);
  assert.deepEqual(names(changed).sort(), ['default_model', 'models[harbor].aliases', 'models[tide].aliases']);
});

test('what a market goes by is taken; it opens, and becomes no preview again', () => {
  const bounds = { floor: 1, ceiling: 50, reserve: 2, max_account_share: 0.5 };
  const { next, changed, needsRestart } = difference([{ ...tide, ...bounds, preview: true }, harbor]);
  const setting = (name: string) => `models[tide].${name}`;
  assert.deepEqual(changed.sort(), ['ceiling', 'floor', 'max_account_share', 'reserve'].map(setting));
  assert.deepEqual(needsRestart, [setting('preview')]);
  const { floor, ceiling, reserve, preview, accountShareMax } = next.listings.default;
  assert.deepEqual([floor, ceiling, reserve, preview, accountShareMax], [1e9, 50e9, 2e9, false, 0.5]);

  const [before, file] = [configOf([{ ...tide, preview: true }, harbor]), configOf()];
  const opened = differenceOf(before, file);
  assert.deepEqual([names(opened.changed), names(opened.needsRestart)], [[setting('preview')], []]);
});

test('another kind of price and everything outside of models and limits need a restart', () => {
  const { next, changed, needsRestart } = difference([{ ...harbor, id: 'tide', pods: tide.pods }, harbor], {
    trust_proxy: 1,
    drain_timeout_ms: 5,
    probes: { enabled: false },
    console: { enabled: false },
    market: { level_time_constant_ms: 5_000 },
  });
  assert.deepEqual(changed, []);
  assert.equal(next.listings.find('tide')?.type, 'market');
  for (const setting of [
    'models[tide].type',
    'trust_proxy',
    'drain_timeout_ms',
    'console.enabled',
    'market.level_time_constant_ms',
  ])
    assert.ok(needsRestart.includes(setting), setting);
});

test('a secret is compared and never shown', () => {
  const keyed = (value: string) =>
    parseConfig(
      selling([
        { ...tide, pods: [{ id: 'gpu', url: 'http://127.0.0.1:1/v1', slots: 1, api_key_env: 'GPU_KEY' }] },
      ] as never),
      'sluice.yaml',
      { GPU_KEY: value },
    );
  const { changed } = differenceOf(keyed('one'), keyed('two'));
  assert.deepEqual(changed, [{ setting: 'pods[gpu].api_key_env', before: 'set', after: 'set' }]);
});

test('a new model is taken with its pods', () => {
  const file = configOf([tide, harbor, marketModel('reef', 2) as unknown as Model]);
  const opened = differenceOf(configOf(), file);
  assert.deepEqual([names(opened.changed), names(opened.needsRestart)], [['models[reef]', 'pods[reef-1]'], []]);
});
