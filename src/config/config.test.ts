import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limitDefaults } from '#access/limits.ts';
import { priceAtMix } from '#ledger/tariff.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './config.ts';

const GOOD = `
default_model: tide
models:
  - id: tide-70b
    type: market
    aliases: [tide]
    context_length: 4096
    max_output_length: 1024
    pricing_ratio: {cached: 0.1, uncached: 1, output: 4}
    floor: 0.25
    ceiling: 100
    pods:
      - {id: sim-1, simulated: true, slots: 8, seed: 7}
      - {id: gpu-1, url: "http://10.0.0.5:8000/v1/", slots: 64, model: up, api_key_env: GPU_1_KEY}
  - id: harbor
    type: fixed
    context_length: 4096
    max_output_length: 1024
    usd_per_million: {cached: 0.02, uncached: 0.1, output: 0.4}
`;

function parse(text: string, environment: Record<string, string> = { GPU_1_KEY: 'secret' }) {
  return parseConfig(text, 'sluice.yaml', environment);
}

/** The sentence that refuses GOOD with `from` replaced by `to`. */
function refusal(from: string | RegExp, to: string, environment?: Record<string, string>): string {
  const text = GOOD.replace(from, to);
  assert.notEqual(text, GOOD, `nothing in the file matches ${from}`);
  return refusalOf(text, environment);
}

function refusalOf(text: string, environment?: Record<string, string>): string {
  try {
    parse(text, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail('the configuration was taken');
}

test('the shipped file is valid', () => {
  const config = parseConfig(readFileSync('sluice.yaml', 'utf8'), 'sluice.yaml', {});
  assert.ok(config.listings.all.length > 0);
});

test('a listing has the values of the file', () => {
  const listing = parse(GOOD).listings.find('tide');
  assert.ok(listing);
  assert.equal(listing.id, 'tide-70b');
  assert.equal(listing.floor, 250_000_000);
  assert.equal(listing.ceiling, 100_000_000_000);
  assert.equal(listing.displayName, 'tide-70b');
});

test('an answer may have 16 MiB, or what the file says, which reaches the pods', () => {
  const text = GOOD.replace('max_output_length: 1024', 'max_output_length: 1024\n    max_answer_bytes: 2048');
  const { listings, pods } = parse(text);
  assert.deepEqual(
    listings.all.map(({ answerBytesMax }) => answerBytesMax),
    [2048, 16 * 1024 * 1024],
  );
  assert.ok(pods.every(({ answerBytesMax }) => answerBytesMax === 2048));
});

test('decimals are read exactly, from the text of the file', () => {
  const listing = parse(GOOD).listings.find('tide');
  assert.equal(listing?.tariff.cached, 100_000_000n);
  assert.equal(listing?.tariff.id, 'market:100000000:1000000000:4000000000');
  const tiny = parse(GOOD.replace('cached: 0.02', 'cached: "0.000000001"')).listings.find('harbor');
  assert.equal(tiny?.tariff.cached, 1n);
});

test('a fixed-price model has three prices and no bounds', () => {
  const listing = parse(GOOD).listings.find('harbor');
  assert.ok(listing);
  assert.equal(priceAtMix(listing.tariff), 36_000_000);
  assert.deepEqual([listing.floor, listing.ceiling], [0, 0]);
});

test('a backend gets its key from the environment and its URL without trailing slashes', () => {
  const pod = parse(GOOD).pods.find(({ id }) => id === 'gpu-1');
  assert.ok(pod);
  assert.equal(pod.url, 'http://10.0.0.5:8000/v1');
  assert.equal(pod.apiKey, 'secret');
  assert.equal(pod.upstreamModel, 'up');
  assert.equal(pod.model, 'tide-70b');
  assert.equal(pod.systemPolicy, 'merge_leading');
  assert.equal(pod.engine, 'auto');
});

test('a pod may name its engine, and a model say what happens to custom tools', () => {
  const text = GOOD.replace('slots: 64', 'slots: 64, engine: llama_cpp').replace(
    'floor:',
    'custom_tools: as_functions\n    floor:',
  );
  const { pods, listings } = parse(text);
  assert.equal(pods.find(({ id }) => id === 'gpu-1')?.engine, 'llama_cpp');
  assert.equal(listings.find('tide')?.customTools, 'as_functions');
  assert.deepEqual([...listings.customToolModels], [null, 'tide-70b', 'tide']);
  assert.deepEqual([...parse(GOOD).listings.customToolModels], []);
});

test('a simulated pod has no URL', () => {
  const pod = parse(GOOD).pods.find(({ id }) => id === 'sim-1');
  assert.equal(pod?.url, null);
  assert.equal(pod?.seed, 7);
});

test("any limit can be set, and the others keep the specification's values", () => {
  const { limits } = parse(`${GOOD}\nlimits: {inference_requests_per_minute_per_key: 5}`);
  assert.equal(limits.inferenceRequestsPerMinutePerKey, 5);
  assert.equal(limits.publicRequestsPerMinutePerAddress, 600);
});

test('what a backend says of its tokens is off unless the file has it', () => {
  const said = (text: string) => parse(text).pods.map((pod) => [pod.continuousUsage, pod.tokenPerChunk]);
  const off = [false, false];
  assert.deepEqual(said(GOOD), [off, off]);
  assert.deepEqual(said(GOOD.replace('model: up,', 'token_per_chunk: true, model: up,')), [off, [false, true]]);
});

test('the environment sets where to listen and where data is stored', () => {
  const config = parse(GOOD, {
    GPU_1_KEY: 'k',
    PORT: '0',
    HOST: '0.0.0.0',
    DATABASE_URL: 'mysql://a:b@c/d',
    LOG_LEVEL: 'warn',
  });
  assert.equal(config.port, 0);
  assert.equal(config.host, '0.0.0.0');
  assert.equal(config.databaseUrl, 'mysql://a:b@c/d');
  assert.equal(config.logLevel, 'warn');
  assert.equal(config.dataFolder, 'data');
});

test('a configuration cannot be changed after it is read', () => {
  const config = parse(GOOD);
  assert.throws(() => Object.assign(config.market, { levelTimeConstantMs: 1 }), TypeError);
  assert.throws(() => Object.assign(config.pods[0] ?? {}, { slots: 1 }), TypeError);
});

test('YAML anchors are resolved', () => {
  const text = GOOD.replace('pricing_ratio: {', 'pricing_ratio: &ratio {').replace(
    'usd_per_million: {cached: 0.02, uncached: 0.1, output: 0.4}',
    'usd_per_million: *ratio',
  );
  assert.equal(parse(text).listings.find('harbor')?.tariff.output, 4_000_000_000n);
});

test('docs/sell/configuration.md lists every limit with its default', () => {
  const page = readFileSync(new URL('../../docs/sell/configuration.md', import.meta.url), 'utf8');
  const [, table = ''] = /^### Limits$([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, key, value]) => [key, Number(value)]);
  const defaults = Object.entries(limitDefaults).map(([name, value]) => {
    return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value];
  });
  assert.deepEqual(rows, defaults);
});

const refused: readonly [name: string, from: string | RegExp, to: string, sentence: string][] = [
  [
    'a key with a letter missing',
    'ceiling: 100',
    'ceilin: 100',
    'sluice.yaml:11: models[0].ceilin is not a setting here; did you mean ceiling?',
  ],
  [
    'an unknown key',
    'floor: 0.25',
    'floor: 0.25\n    flor: 1',
    'sluice.yaml:11: models[0].flor is not a setting here; did you mean floor?',
  ],
  [
    'an unknown key at the top',
    'default_model',
    'colour: red\ndefault_model',
    'sluice.yaml:2: colour is not a setting here; remove it, or use one of audit, billing, console, database_deadline_ms, default_model, disk_deadline_ms, disk_reserve_bytes, drain_announce_ms, drain_timeout_ms, limits, log_level, mail, market, models, partner_prefix, payments, probes, repeat_guard_ms, responses, trust_proxy, webhooks.',
  ],
  [
    'a key written twice',
    'floor: 0.25',
    'floor: 0.25\n    floor: 1',
    'sluice.yaml:11: floor appears here a second time; keep only one.',
  ],
  [
    'what is no YAML',
    'aliases: [tide]',
    'aliases: [tide',
    'sluice.yaml:7: this is not valid YAML (Flow sequence in block collection must be sufficiently indented and end with a ]).',
  ],
  [
    'a number in quotes',
    'slots: 8',
    'slots: "8"',
    'sluice.yaml:13: models[0].pods[0].slots is "8"; make it a whole number without quotes from 1 to 100000, or {auto: {min: 4, max: 64}}.',
  ],
  [
    'a word for a mapping',
    'default_model',
    'probes: off\ndefault_model',
    'sluice.yaml:2: probes is "off"; make it a mapping of settings such as {enabled: false}.',
  ],
  [
    'a wrong type',
    'context_length: 4096',
    'context_length: many',
    'sluice.yaml:7: models[0].context_length is "many"; make it a whole number from 1 to 10000000.',
  ],
  [
    'a fraction where a whole number belongs',
    'slots: 8',
    'slots: 1.5',
    'sluice.yaml:13: models[0].pods[0].slots is "1.5"; make it a whole number from 1 to 100000, or {auto: {min: 4, max: 64}}.',
  ],
  [
    'no slots',
    'slots: 8',
    'slots: 0',
    'sluice.yaml:13: models[0].pods[0].slots is "0"; make it a whole number from 1 to 100000, or {auto: {min: 4, max: 64}}.',
  ],
  [
    'yes for true',
    'simulated: true',
    'simulated: yes',
    'sluice.yaml:13: models[0].pods[0].simulated is "yes"; make it true or false.',
  ],
  [
    'an unknown type of model',
    'type: market',
    'type: auction',
    'sluice.yaml:5: models[0].type is "auction"; make it market or fixed.',
  ],
  [
    'a decimal with ten places',
    'cached: 0.1,',
    'cached: 0.1000000001,',
    'sluice.yaml:9: models[0].pricing_ratio.cached is "0.1000000001"; make it a plain decimal from 0 to 1000000 with at most nine decimals, such as 0.25.',
  ],
  [
    'a decimal with an exponent',
    'cached: 0.1,',
    'cached: 1e-3,',
    'sluice.yaml:9: models[0].pricing_ratio.cached is "1e-3"; make it a plain decimal from 0 to 1000000 with at most nine decimals, such as 0.25.',
  ],
  [
    'a weight below 0',
    'output: 4',
    'output: -4',
    'sluice.yaml:9: models[0].pricing_ratio.output is "-4"; make it a plain decimal from 0 to 1000000 with at most nine decimals, such as 0.25.',
  ],
  [
    'a ratio without weights',
    '{cached: 0.1, uncached: 1, output: 4}',
    '{cached: 0, uncached: 0, output: 0}',
    'sluice.yaml:9: models[0].pricing_ratio has no weight above 0; give a weight to each kind of token that costs something.',
  ],
  [
    'a market model without a ratio',
    /pricing_ratio:.*/,
    '',
    'sluice.yaml:4: models[0].pricing_ratio is missing; add a line such as pricing_ratio: {cached: 0.1, uncached: 1, output: 4}.',
  ],
  [
    'a market model without a ceiling',
    /ceiling: 100/,
    '',
    'sluice.yaml:4: models[0].ceiling is missing; add a line such as ceiling: 100.',
  ],
  [
    'a ceiling above a million',
    'ceiling: 100',
    'ceiling: 1000001',
    'sluice.yaml:11: models[0].ceiling is "1000001"; make it a plain decimal from 0 to 1000000 with at most nine decimals, such as 0.25.',
  ],
  [
    'a ceiling of 0',
    'ceiling: 100',
    'ceiling: 0',
    'sluice.yaml:11: models[0].ceiling is 0; make it the highest level to publish, above 0.',
  ],
  [
    'a floor above the ceiling',
    'floor: 0.25',
    'floor: 101',
    'sluice.yaml:10: models[0].floor is above ceiling; make it at most the ceiling.',
  ],
  [
    'market settings on a fixed-price model',
    'type: fixed',
    'type: fixed\n    ceiling: 4',
    'sluice.yaml:17: models[1].ceiling is not a setting here; remove it, or use one of accepts_images, aliases, audio_tokens, catalog, context_length, created, custom_tools, deprecated, display_name, estimated_cached_share, file_tokens, id, image_tokens, max_account_share, max_answer_bytes, max_output_length, owned_by, pods, reasoning_efforts, type, usd_per_million, video_tokens.',
  ],
  [
    'more output than context',
    'max_output_length: 1024',
    'max_output_length: 8192',
    'sluice.yaml:8: models[0].max_output_length is above context_length; make it at most 4096.',
  ],
  [
    'answers that no string could hold',
    'max_output_length: 1024',
    'max_output_length: 1024\n    max_answer_bytes: 536870912',
    'sluice.yaml:9: models[0].max_answer_bytes is "536870912"; make it a whole number from 1024 to 67108864.',
  ],
  [
    'two models with one id',
    'id: harbor',
    'id: tide-70b',
    'sluice.yaml:15: models[1].id repeats the name tide-70b; give each model its own names.',
  ],
  [
    'an alias that another model has',
    'id: harbor',
    'id: harbor\n    aliases: [tide-70b]',
    'sluice.yaml:16: models[1].aliases repeats the name tide-70b; give each model its own names.',
  ],
  [
    'an id with a space',
    'id: harbor',
    'id: har bor',
    'sluice.yaml:15: models[1].id is "har bor"; make it a name of letters, digits and . _ : / @ -.',
  ],
  [
    'an alias that is no name',
    'aliases: [tide]',
    'aliases: [tide, ""]',
    'sluice.yaml:6: models[0].aliases is a list; make every entry a name of letters, digits and . _ : / @ -.',
  ],
  [
    'two pods with one id',
    'id: gpu-1',
    'id: sim-1',
    'sluice.yaml:14: models[0].pods[1].id repeats the name sim-1; give each pod its own name.',
  ],
  [
    'an address that is not http',
    'http://10.0.0.5:8000/v1/',
    'ftp://10.0.0.5',
    'sluice.yaml:14: models[0].pods[1].url is not an http or https address; make it an address such as http://10.0.0.5:8000/v1.',
  ],
  [
    'an empty address',
    'http://10.0.0.5:8000/v1/',
    '',
    'sluice.yaml:14: models[0].pods[1].url is ""; make it an address such as http://10.0.0.5:8000/v1.',
  ],
  [
    'the address of the operation instead of what it is appended to',
    'http://10.0.0.5:8000/v1/',
    'http://10.0.0.5:8000/v1/chat/completions/',
    'sluice.yaml:14: models[0].pods[1].url ends in /chat/completions, which is appended to it; make it http://10.0.0.5:8000/v1.',
  ],
  [
    'a password in an address',
    'http://10',
    'http://a:b@10',
    'sluice.yaml:14: models[0].pods[1].url contains a user, a password, a query or a fragment; make it an address such as http://10.0.0.5:8000/v1.',
  ],
  [
    'a pod without an address',
    'url: "http://10.0.0.5:8000/v1/", ',
    '',
    'sluice.yaml:14: models[0].pods[1].url is missing; add a line such as url: http://10.0.0.5:8000/v1.',
  ],
  [
    'a simulated pod with an address',
    'simulated: true',
    'simulated: true, url: "http://a"',
    'sluice.yaml:13: models[0].pods[0].url cannot be combined with simulated: true; keep only one.',
  ],
  [
    'a default model that is not sold',
    'default_model: tide',
    'default_model: tidal',
    'sluice.yaml:2: default_model is tidal, which is not one of the models; make it the id or alias of one.',
  ],
  [
    'no default model',
    'default_model: tide',
    '',
    'sluice.yaml:3: default_model is missing; add a line such as default_model: tide-70b.',
  ],
  [
    'models that are no list',
    /models:[\s\S]*/,
    'models: 3',
    'sluice.yaml:3: models is "3"; make it a list, each entry beginning with "- ".',
  ],
  [
    'no models',
    /models:[\s\S]*/,
    'models: []',
    'sluice.yaml:3: models has no entries; add one such as - {id: tide-70b, type: market}.',
  ],
  [
    'a date that does not exist',
    'type: fixed',
    'type: fixed\n    created: 2026-13-01',
    'sluice.yaml:17: models[1].created is not a valid date; make it a date such as 2026-01-31.',
  ],
];

for (const [name, from, to, sentence] of refused) {
  test(`${name} is refused with file, line, key and fix`, () => assert.equal(refusal(from, to), sentence));
}

test('a backend key that is not in the environment is refused', () => {
  assert.equal(
    refusalOf(GOOD, {}),
    'sluice.yaml:14: models[0].pods[1].api_key_env names GPU_1_KEY, which is not set; set GPU_1_KEY in the environment, or GPU_1_KEY_FILE.',
  );
});

test('broken YAML is refused with its line', () => {
  assert.match(refusalOf('default_model: "tide\nmodels:\n'), /^sluice\.yaml:\d+: this is not valid YAML \(.+\)\.$/);
});

test('an empty file is refused', () => {
  assert.match(refusalOf(''), /^sluice\.yaml:1: the file is empty/);
});

test('trusting every proxy is refused; a count or a list is accepted', () => {
  assert.match(
    refusalOf(`${GOOD}\ntrust_proxy: true`),
    /trust_proxy is "true"; make it a whole number from 0 to 16, or a/,
  );
  assert.match(refusalOf(`${GOOD}\ntrust_proxy: [proxy.local]`), /make every entry an address or a network/);
  assert.equal(parse(`${GOOD}\ntrust_proxy: 1`).trustProxy, 1);
  assert.deepEqual(parse(`${GOOD}\ntrust_proxy: [10.0.0.0/8]`).trustProxy, ['10.0.0.0/8']);
});

const refusedEnvironment: readonly [name: string, value: string, sentence: RegExp][] = [
  ['PORT', '70000', /^PORT is "70000"; make it a whole number from 0 to 65535\.$/],
  ['PORT', 'http', /^PORT is "http"; make it a whole number/],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL is "loud"; make it one of trace, debug/],
  ['DATABASE_URL', 'postgres://x', /^DATABASE_URL is not a database address; make it sqlite:/],
  [
    'DATABASE_URL',
    'mysql://root:a#b@host/sluice',
    /^DATABASE_URL cannot be parsed; make it .* # .* in a password as .*%23/,
  ],
  ['DATABASE_URL', 'mysql://root:50%@host/sluice', /^DATABASE_URL cannot be parsed; /],
  ['DATABASE_URL', 'mysql://root@host', /^DATABASE_URL has no database name; make it .*mysql:/],
  ['DATABASE_URL', 'mariadb://root@host/', /^DATABASE_URL has no database name; /],
];

for (const [name, value, sentence] of refusedEnvironment) {
  test(`${name}=${value} is refused with its name and the fix`, () => {
    assert.match(refusalOf(GOOD, { GPU_1_KEY: 'k', [name]: value }), sentence);
  });
}
