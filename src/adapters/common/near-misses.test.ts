import assert from 'node:assert/strict';
import { test } from 'node:test';
import document from '#generated/openapi.json' with { type: 'json' };
import { extensionFields, extensionHeaders } from './extensions.ts';
import { nearMisses } from './near-misses.ts';

const BOTH = ['price_limit', 'max_price'] as const;
const sentences = (body: object, headers = {}, limits: readonly string[] = BOTH) =>
  nearMisses({ ...body }, headers, limits)?.warning.split(/(?<=did you mean [^?]+\?) /) ?? [];

/** [a name in the body, the field that was meant] */
const misspelt: [string, string][] = [
  ...['price_limt', 'price_lmit', 'price_limti', 'prize_limit', 'pricelimit', 'priceLimit', 'price-limit'].map(
    (name): [string, string] => [name, 'price_limit'],
  ),
  ...['price_limits', 'PRICE_LIMIT', 'price_limit_usd', 'x_price_limit'].map((name): [string, string] => [
    name,
    'price_limit',
  ]),
  ...['maxprice', 'max_prise', 'MaxPrice'].map((name): [string, string] => [name, 'max_price']),
  ...['max_charge', 'max_charge_us', 'maxChargeUsd', 'max_chrage_usd'].map((name): [string, string] => [
    name,
    'max_charge_usd',
  ]),
  ...['max_wiat', 'maxWait', 'max_wait_seconds'].map((name): [string, string] => [name, 'max_wait']),
  ...[
    ['expire_after', 'expires_after'],
    ['dead_line', 'deadline'],
    ['dealine', 'deadline'],
    ['detatched', 'detached'],
    ['price_locks', 'price_lock'],
    ['stroe', 'store'],
    ['retentionDays', 'retention_days'],
    ['dry_run', 'the header X-Dry-Run'],
    ['dryRun', 'the header X-Dry-Run'],
    ['idempotency_key', 'the header Idempotency-Key'],
    ['idempotencyKey', 'the header Idempotency-Key'],
  ].map(([name = '', meant = '']): [string, string] => [name, meant]),
];
for (const [name, meant] of misspelt)
  test(`${name} was meant to be ${meant}`, () => {
    assert.deepEqual(sentences({ [name]: 1 }), [`${name} is not a field of this gateway; did you mean ${meant}?`]);
  });

/** [a header, what was meant] */
const misspeltHeaders: [string, string][] = [
  ['x-price-limt', 'X-Price-Limit'],
  ['price-limit', 'X-Price-Limit'],
  ['x-maxprice', 'X-Max-Price'],
  ['x-max-wait', 'X-Expires-After'],
  ['x-expire-after', 'X-Expires-After'],
  ['x-max-charge-us', 'X-Max-Charge-USD'],
  ['x-max-charge', 'X-Max-Charge-USD'],
  ['x-dead-line', 'X-Deadline'],
  ['x-dryrun', 'X-Dry-Run'],
  ['x-dry-rum', 'X-Dry-Run'],
  ['x-stict', 'X-Strict'],
  ['x-idempotency-key', 'Idempotency-Key'],
  ['idempotency-keys', 'Idempotency-Key'],
  ['x-price-lock', 'price_lock in the body'],
  ['x-retention-days', 'retention_days in the body'],
];
for (const [name, meant] of misspeltHeaders)
  test(`the header ${name} was meant to be ${meant}`, () => {
    const sentence = `${name} is not a header of this gateway; did you mean ${meant}?`;
    assert.deepEqual(sentences({}, { [name]: '1' }), [sentence]);
  });

test('a shape that reads one price limit suggests its name for that of the others', () => {
  const told = ['max_price is not a field of this gateway; did you mean price_limit?'];
  assert.deepEqual(sentences({ max_price: 1 }, {}, ['price_limit']), told);
  assert.deepEqual(sentences({ max_prise: 1 }, {}, ['price_limit'])[0]?.slice(-12), 'price_limit?');
  assert.deepEqual(sentences({ price_limit: 1, max_price: 1 }), []);
  const [header] = sentences({}, { 'x-max-price': '1' }, ['price_limit']);
  assert.equal(header, 'x-max-price is not a header of this gateway; did you mean X-Price-Limit?');
});

test('no field of a wire shape is a near miss, and none of those that engines and vendors add', () => {
  const documented = ['ChatCompletionRequest', 'CompletionRequest', 'ResponseRequest', 'MessageRequest'].flatMap(
    (name) =>
      Object.keys((document.components.schemas as Record<string, { properties?: object }>)[name]?.properties ?? {}),
  );
  assert.ok(documented.length > 80, `${documented.length} fields`);
  const vendors = [
    ...['prompt', 'input', 'stop', 'seed', 'top_k', 'top_a', 'min_p', 'typical_p', 'logit_bias', 'presence_penalty'],
    ...['frequency_penalty', 'repetition_penalty', 'max_completion_tokens', 'max_output_tokens', 'max_tool_calls'],
    ...['modalities', 'audio', 'prediction', 'web_search_options', 'service_tier', 'verbosity', 'reasoning_effort'],
    ...['prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'functions', 'function_call', 'include'],
    ...[
      'guided_json',
      'guided_regex',
      'structured_outputs',
      'chat_template',
      'chat_template_kwargs',
      'mm_processor_kwargs',
    ],
    ...[
      'add_generation_prompt',
      'continue_final_message',
      'add_special_tokens',
      'documents',
      'echo',
      'best_of',
      'use_beam_search',
    ],
    ...[
      'ignore_eos',
      'min_tokens',
      'stop_token_ids',
      'include_stop_str_in_output',
      'skip_special_tokens',
      'prompt_logprobs',
    ],
    ...['truncate_prompt_tokens', 'priority', 'request_id', 'return_token_ids', 'return_hidden_states', 'lora_path'],
    ...[
      'cache_prompt',
      'n_predict',
      'slot_id',
      'id_slot',
      'samplers',
      'mirostat',
      'grammar',
      'json_schema',
      'n_probs',
      'timings_per_token',
    ],
    ...[
      'provider',
      'models',
      'route',
      'transforms',
      'plugins',
      'usage',
      'reasoning',
      'preset',
      'session_id',
      'trace',
      'debug',
    ],
    ...[
      'safe_prompt',
      'random_seed',
      'prompt_mode',
      'thinking',
      'enable_thinking',
      'thinking_budget',
      'reasoning_format',
      'keep_alive',
    ],
    ...[
      'context_management',
      'container',
      'inference_geo',
      'speed',
      'betas',
      'extra_body',
      'x_simulate',
      'timeout',
      'max_retries',
    ],
    ...[
      'model',
      'messages',
      'temperature',
      'price',
      'limit',
      'max',
      'wait',
      'days',
      'dead',
      'expiry',
      'state',
      'scores',
    ],
  ];
  for (const name of [...documented, ...vendors])
    if (name !== 'max_price') assert.deepEqual(sentences({ [name]: 1 }), [], name);
});

test('names of others that are near to ours are no near misses', () => {
  for (const name of ['stored', 'score', 'expires', 'detach', 'retention', 'restore', 'headline', 'attached'])
    assert.deepEqual(sentences({ [name]: 1 }), [], name);
  for (const name of ['x-store', 'x-deadline-ms', 'strict']) assert.deepEqual(sentences({}, { [name]: '1' }), [], name);
});

test('no header of HTTP, of proxies or of official clients is a near miss', () => {
  const names = [
    ...['accept', 'accept-encoding', 'authorization', 'cache-control', 'connection', 'content-length', 'content-type'],
    ...[
      'cookie',
      'date',
      'dnt',
      'expect',
      'expires',
      'forwarded',
      'from',
      'host',
      'if-match',
      'origin',
      'pragma',
      'priority',
    ],
    ...[
      'range',
      'referer',
      'te',
      'trailer',
      'transfer-encoding',
      'upgrade',
      'user-agent',
      'via',
      'warning',
      'traceparent',
    ],
    ...[
      'x-api-key',
      'x-request-id',
      'x-real-ip',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-client-request-id',
      'x-trace-id',
    ],
    ...['anthropic-version', 'anthropic-beta', 'openai-organization', 'openai-project', 'x-stainless-retry-count'],
    ...[
      'x-stainless-lang',
      'x-stainless-timeout',
      'sec-fetch-mode',
      'x-title',
      'http-referer',
      'x-session-id',
      'x-amz-date',
    ],
    ...[
      'x-app',
      'x-stainless-helper-method',
      'session_id',
      'conversation_id',
      'x-envoy-attempt-count',
      'cf-ray',
      'x-timeout',
    ],
  ];
  for (const name of names) assert.deepEqual(sentences({}, { [name]: '1' }), [], name);
});

test('the names are those that are read', () => {
  const body = Object.fromEntries(extensionFields(BOTH).map((name) => [name, 1]));
  const headers = Object.fromEntries(extensionHeaders(BOTH).map((name) => [name, '1']));
  assert.deepEqual(
    sentences(body, { ...headers, 'x-dry-run': 'true', 'x-strict': 'true', 'idempotency-key': 'k' }),
    [],
  );
  for (const name of extensionFields(BOTH)) assert.equal(sentences({ [`${name}x`]: 1 }).length, 1, name);
  for (const name of extensionHeaders(BOTH)) assert.equal(sentences({}, { [`${name}x`]: '1' }).length, 1, name);
});

test('warnings are printable, short and bounded, whatever the names', () => {
  for (const name of ['price_lim\r\nt', 'price_lim\u0131t', 'price_limi\u0000', 'price_limit\u{1f30a}']) {
    const [sentence = ''] = sentences({ [name]: 1 });
    assert.match(sentence, /^price_lim\S* is not a field of this gateway; did you mean price_limit\?$/);
    assert.match(sentence, /^[\x20-\x7e]+$/);
  }
  assert.deepEqual(sentences({ ['price_limit'.repeat(10)]: 1 }), []);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`price_limi${at}`, 1]));
  assert.equal(sentences(many).length, 5);
  assert.equal(sentences(many).join(' ').length < 500, true);
});

test('a null prototype, its names and numbers as names are no near misses', () => {
  assert.deepEqual(sentences(JSON.parse('{"__proto__": 1, "constructor": 1, "": 1, "0": 1, "toString": 1}')), []);
});
