import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Accumulator, type GenerationEvent } from '#results/generation.ts';
import { type BackendStream, backendStreams } from '#testing/backend-streams.ts';
import { ChunkReader, type ChunkReaderOptions } from './chunk-events.ts';
import { EventStreamReader } from './event-stream.ts';
import { BackendFault, BackendRefusal } from './malformed.ts';

let rejected = 0;

function reader(own: Partial<ChunkReaderOptions> = {}): ChunkReader {
  rejected = 0;
  return new ChunkReader({
    outputCap: 100,
    outputTokensMax: 100,
    contextLength: 1_000,
    stop: ['END'],
    callIdPrefix: 'call_test_',
    customTools: ['patch'],
    answerBytesMax: 1_000_000,
    keepsStop: false,
    onImplausibleUsage: () => rejected++,
    ...own,
  });
}

/** The events of these chunks and of the end of the stream. */
function eventsOf(chunks: readonly unknown[], own: Partial<ChunkReaderOptions> = {}): readonly GenerationEvent[] {
  const chunkReader = reader(own);
  for (const chunk of chunks) chunkReader.read(chunk);
  chunkReader.end();
  return chunkReader.take();
}

const choice = (delta: unknown, rest: object = {}) => ({ choices: [{ index: 0, delta, ...rest }] });
const usageChunk = (usage: unknown) => ({ choices: [], usage });

/** Reads a stream whose bytes arrive in these pieces. */
function readBytes(pieces: readonly Buffer[]) {
  const chunkReader = reader();
  const stream = new EventStreamReader((data) => {
    if (data !== '[DONE]') chunkReader.read(JSON.parse(data));
  });
  for (const piece of pieces) stream.feed(piece);
  stream.end();
  assert.equal(chunkReader.finished, true);
  chunkReader.end();
  return { events: chunkReader.take(), usage: chunkReader.usage };
}

function assertAnswer(stream: BackendStream, pieces: readonly Buffer[]) {
  const { events, usage } = readBytes(pieces);
  const accumulator = new Accumulator();
  for (const event of events) accumulator.add(event);
  const { parts: _, ...generation } = accumulator.generation();
  const {
    text = '',
    reasoning = '',
    toolCalls = [],
    finishReason,
    stopSequence = null,
    logprobs = null,
  } = stream.answer;
  assert.deepEqual(generation, { text, reasoning, toolCalls, logprobs, finishReason, stopSequence });
  assert.deepEqual(usage, stream.usage);
  const last = events.at(-1);
  assert.equal(last?.type, 'finish');
  assert.equal(last.type === 'finish' && last.reason, finishReason);
  return events;
}

describe('recorded streams', () => {
  for (const stream of backendStreams) {
    const bytes = Buffer.from(stream.text);
    test(stream.name, () => void assertAnswer(stream, [bytes]));
    test(`${stream.name}: the same, byte by byte and cut at every position`, () => {
      const whole = assertAnswer(stream, [bytes]);
      const single = [...bytes].map((byte) => Buffer.from([byte]));
      assert.deepEqual(readBytes(single).events, whole);
      for (let place = 1; place < bytes.length; place++)
        assert.deepEqual(readBytes([bytes.subarray(0, place), bytes.subarray(place)]).events, whole);
    });
  }
});

test('reasoning, text, logprobs and finish of one chunk are emitted in this order', () => {
  const chunk = choice(
    { content: 'A', reasoning_content: 'R' },
    { finish_reason: 'stop', logprobs: { content: [{ token: 'A' }] } },
  );
  assert.deepEqual(
    eventsOf([chunk]).map((event) => event.type),
    ['reasoning-delta', 'text-delta', 'logprobs', 'finish'],
  );
});

test('role chunks, empty strings, nulls and empty lists emit nothing', () => {
  const deltas = [{ role: 'assistant', content: '' }, { content: null, reasoning: null }, { tool_calls: [] }, {}, null];
  const events = eventsOf([...deltas.map((delta) => choice(delta)), { choices: [] }, { choices: null }, {}]);
  assert.deepEqual(events, [{ type: 'finish', reason: 'stop', stopSequence: null }]);
});

test('text after the finish_reason still counts, and finish comes once, last', () => {
  const events = eventsOf([
    choice({}, { finish_reason: 'stop' }),
    choice({ content: 'late' }, { finish_reason: 'stop' }),
  ]);
  assert.deepEqual(
    events.map((event) => event.type),
    ['text-delta', 'finish'],
  );
});

test('finish reasons', () => {
  const call = choice({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] });
  type Row = [chunks: object[], reason: string, expected: string];
  const row = (...columns: Row): Row => columns;
  const cases: Row[] = [
    [[], 'stop', 'stop'],
    [[], 'length', 'length'],
    [[], 'content_filter', 'content_filter'],
    [[], 'tool_calls', 'stop'],
    ...['eos_token', 'stop_sequence', 'end_turn', 'STOP'].map((reason) => row([], reason, 'stop')),
    ...['MAX_TOKENS', 'max_tokens', 'model_length', 'model_context_window_exceeded', 'repetition', 'something_new'].map(
      (reason) => row([], reason, 'length'),
    ),
    ...['SAFETY', 'sensitive', 'guardrail_intervened'].map((reason) => row([], reason, 'content_filter')),
    [[call], 'tool_use', 'tool_calls'],
    [[call], 'something_new', 'length'],
    [[call], 'stop', 'tool_calls'],
    [[call], 'function_call', 'tool_calls'],
    [[call], 'length', 'length'],
  ];
  for (const [chunks, finish_reason, expected] of cases) {
    const last = eventsOf([...chunks, choice({}, { finish_reason })]).at(-1);
    assert.deepEqual(last, { type: 'finish', reason: expected, stopSequence: null }, `${finish_reason} → ${expected}`);
  }
});

test('a stop sequence is reported only if the request has it', () => {
  const finish = (rest: object) => eventsOf([choice({}, { finish_reason: 'stop', ...rest })]).at(-1);
  assert.deepEqual(finish({ stop_reason: 'END' }), { type: 'finish', reason: 'stop', stopSequence: 'END' });
  assert.deepEqual(finish({ matched_stop: 'END' }), { type: 'finish', reason: 'stop', stopSequence: 'END' });
  assert.deepEqual(finish({ stop_reason: '<|im_end|>' }), { type: 'finish', reason: 'stop', stopSequence: null });
  assert.deepEqual(finish({ matched_stop: 151645 }), { type: 'finish', reason: 'stop', stopSequence: null });
});

describe('a stop string that an engine leaves at the end', () => {
  /** What comes of these texts, and the stop sequence. */
  const said = (texts: readonly string[], own: Partial<ChunkReaderOptions> = {}, reason = 'stop') => {
    const events = eventsOf(
      [...texts.map((content) => choice({ content })), choice({}, { finish_reason: reason })],
      own,
    );
    const finish = events.at(-1);
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    return [text, finish?.type === 'finish' ? finish.stopSequence : undefined];
  };

  test('is not part of the answer, in one piece or in several, and is the stop sequence', () => {
    for (const texts of [['One END'], ['One ', 'END'], ['One E', 'N', 'D'], ['On', 'e EEN', 'END']])
      assert.deepEqual(said(texts), [texts.join('').slice(0, -3), 'END']);
    assert.deepEqual(said(['END']), ['', 'END']);
  });

  test('is the longest of several', () => {
    const stop = ['\n', '\n\n', '\n\nQ:'];
    assert.deepEqual(said(['One\n', '\n'], { stop }), ['One', '\n\n']);
    assert.deepEqual(said(['One\n\n', 'Q'], { stop }), ['One\n\nQ', null]);
    assert.deepEqual(said(['One\n\nQ', ':'], { stop }), ['One', '\n\nQ:']);
  });

  test('stays where it is in the middle, where the answer was cut, and where the request asks for it', () => {
    assert.deepEqual(said(['The END', ' is near']), ['The END is near', null]);
    assert.deepEqual(said(['The EN']), ['The EN', null]);
    assert.deepEqual(said(['The END'], {}, 'length'), ['The END', null]);
    assert.deepEqual(said(['The END'], { keepsStop: true }), ['The END', null]);
    assert.deepEqual(said(['The END'], { stop: [] }), ['The END', null]);
    assert.deepEqual(said(['The END'], { stop: [''] }), ['The END', null]);
  });

  test('text that could be its beginning comes before what follows it, and each chunk still counts', () => {
    const chunkReader = reader();
    for (const delta of [{ content: 'A EN' }, { reasoning: 'Hm.' }, { content: 'E' }, { content: 'N' }])
      chunkReader.read(choice(delta));
    chunkReader.read(choice({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] }));
    const texts = chunkReader.take().map((event) => ('text' in event ? event.text : event.type));
    assert.deepEqual(texts.slice(0, 5), ['A ', 'EN', 'Hm.', 'EN', 'tool-call']);
    assert.equal(chunkReader.outputChunks, 5);
  });
});

test('an incomplete surrogate pair becomes one replacement character', () => {
  const events = eventsOf([choice({ content: 'a\ud83c' }), choice({}, { finish_reason: 'stop' })]);
  assert.deepEqual(
    events.map((event) => (event.type === 'text-delta' ? event.text : event.type)),
    ['a', '\ufffd', 'finish'],
  );
});

test("an error in the stream is a fault with the backend's message", () => {
  for (const chunk of [
    { error: { message: 'out of memory', code: 500 } },
    { error: 'out of memory' },
    { object: 'error', message: 'out of memory' },
  ])
    assert.throws(() => reader().read(chunk), new BackendFault('error in the stream', 'out of memory'));
});

test('an error in the stream that blames the request is a refusal until there is output', () => {
  for (const code of [400, 413, 422])
    for (const chunk of [
      { error: { message: 'too long', type: 'BadRequestError', code } },
      { object: 'error', message: 'too long', code },
    ]) {
      assert.throws(() => reader().read(chunk), new BackendRefusal({ message: 'too long', overfull: null }));
      const begun = reader();
      begun.read(choice({ role: 'assistant', content: '' }));
      assert.throws(() => begun.read(chunk), BackendRefusal);
      begun.read(choice({ reasoning: 'Well' }));
      assert.throws(() => begun.read(chunk), new BackendFault('error in the stream', 'too long'));
    }
});

test('of several choices the one that began first is read, wherever it is', () => {
  const of = (index: number, content: string, rest = {}) => ({ index, delta: { content }, ...rest });
  const chunks = [
    { choices: [of(1, 'one '), of(0, 'zero ')] },
    { choices: [of(0, 'zero ', { finish_reason: 'length' })] },
    { choices: [of(0, ''), of(1, 'more', { finish_reason: 'stop' })] },
  ];
  assert.deepEqual(eventsOf(chunks), [
    { type: 'text-delta', text: 'one ' },
    { type: 'text-delta', text: 'more' },
    { type: 'finish', reason: 'stop', stopSequence: null },
  ]);
});

test('a generation that the engine gave up is not finished', () => {
  const reasons = ['abort', 'error', 'cancelled', 'insufficient_system_resource', 'network_error', 'timeout'];
  for (const finish_reason of reasons)
    assert.throws(() => reader().read(choice({}, { finish_reason })), BackendFault, finish_reason);
});

test('of two finish reasons the one that says more counts, and a later failure has no effect', () => {
  const finishes = (...reasons: string[]) => {
    const last = eventsOf(reasons.map((finish_reason) => choice({}, { finish_reason }))).at(-1);
    return last?.type === 'finish' && last.reason;
  };
  assert.equal(finishes('length', 'stop'), 'length');
  assert.equal(finishes('stop', 'length'), 'length');
  assert.equal(finishes('content_filter', 'stop'), 'content_filter');
  assert.equal(finishes('stop', 'error'), 'stop');
});

test('wrong types are faults', () => {
  const chunks: unknown[] = [
    'text',
    7,
    [],
    { choices: {} },
    { choices: ['x'] },
    choice('x'),
    choice({ content: 7 }),
    choice({ content: [7] }),
    choice({ content: [{ type: 'text', text: 7 }] }),
    choice({ content: [{ type: 'thinking', thinking: 7 }] }),
    choice({ reasoning_content: 7 }),
    choice({ tool_calls: 'x' }),
    choice({ tool_calls: ['x'] }),
    choice({ tool_calls: [{ function: 'x' }] }),
    choice({ tool_calls: [{ id: 7 }] }),
    choice({ tool_calls: [{ function: { name: {} } }] }),
    choice({ tool_calls: [{ function: { name: 'f', arguments: 7 } }] }),
    choice({}, { logprobs: 'x' }),
    choice({}, { finish_reason: 7 }),
  ];
  for (const chunk of chunks) assert.throws(() => reader().read(chunk), BackendFault, JSON.stringify(chunk));
});

describe('the output cap', () => {
  test('deltas up to the cap pass; the next one is dropped and ends the answer as length', () => {
    const chunks = ['a', 'b', 'c', 'd'].map((content) => choice({ content }));
    const chunkReader = reader({ outputCap: 3 });
    for (const chunk of chunks.slice(0, 3)) chunkReader.read(chunk);
    assert.equal(chunkReader.overCap, false);
    chunkReader.read(chunks[3]);
    assert.equal(chunkReader.overCap, true);
    chunkReader.end();
    assert.deepEqual(
      chunkReader.take().map((event) => (event.type === 'text-delta' ? event.text : event)),
      ['a', 'b', 'c', { type: 'finish', reason: 'length', stopSequence: null }],
    );
  });

  test('reasoning, opened calls and argument fragments count too', () => {
    const chunkReader = reader({ outputCap: 3 });
    chunkReader.read(choice({ reasoning: 'r' }));
    chunkReader.read(choice({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] }));
    assert.equal(chunkReader.overCap, false);
    chunkReader.read(choice({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }));
    assert.equal(chunkReader.overCap, true);
  });
});

test('the reader and the accumulator count the same deltas', () => {
  const deltas = [
    { reasoning: 'r' },
    { content: 'a' },
    { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    { tool_calls: [{ index: 1, id: 'b', function: { name: 'g' } }] },
  ];
  const accumulator = new Accumulator();
  const chunkReader = reader({ outputCap: 6 });
  for (const delta of deltas) chunkReader.read(choice(delta));
  assert.equal(chunkReader.overCap, false);
  for (const event of chunkReader.take()) accumulator.add(event);
  assert.equal(accumulator.outputDeltas, 6);
  chunkReader.read(choice({ content: 'b' }));
  assert.equal(chunkReader.overCap, true);
});

test('calls without arguments cannot exceed the cap', () => {
  const chunkReader = reader({ outputCap: 10 });
  const calls = Array.from({ length: 100 }, (_, index) => ({ index, id: `${index}`, function: { name: 'f' } }));
  chunkReader.read(choice({ tool_calls: calls }));
  assert.equal(chunkReader.overCap, true);
  assert.equal(chunkReader.take().length, 10);
});

describe('usage', () => {
  const usage = (own: object = {}) => ({ prompt_tokens: 10, completion_tokens: 5, ...own });
  const read = (...chunks: unknown[]) => {
    const chunkReader = reader();
    for (const chunk of chunks) chunkReader.read(chunk);
    return chunkReader.usage;
  };

  test('the last one counts, wherever it comes', () => {
    assert.equal(read(usageChunk(usage()), choice({}, { usage: usage({ completion_tokens: 6 }) }))?.outputTokens, 6);
  });

  const zeros = { prompt_tokens: 0, completion_tokens: 0 };
  const believedZeros = { promptTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: null };
  const finish = choice({}, { finish_reason: 'stop' });

  test('null is no usage', () => {
    assert.equal(read(usageChunk(null), finish, usageChunk(null)), null);
  });

  test('all zeros count when they come last', () => {
    assert.deepEqual(read(choice({ content: 'a' }), finish, usageChunk(zeros)), believedZeros);
    assert.deepEqual(read(choice({}, { finish_reason: 'stop', usage: zeros })), believedZeros);
    assert.deepEqual(read({ ...finish, usage: zeros }), believedZeros);
    assert.equal(rejected, 0);
  });

  test('all zeros are a placeholder before the end, and next to other counts', () => {
    assert.equal(read({ ...choice({ content: 'a' }), usage: zeros }), null);
    assert.equal(read(usageChunk(zeros), finish), null);
    assert.equal(read(finish, usageChunk(zeros), usageChunk(usage()))?.promptTokens, 10);
    assert.equal(read(usageChunk(usage()), finish, usageChunk(zeros))?.promptTokens, 10);
  });

  test('a zero is a count', () => {
    assert.deepEqual(read(usageChunk(usage({ completion_tokens: 0 }))), {
      promptTokens: 10,
      cachedTokens: 0,
      outputTokens: 0,
      reasoningTokens: null,
    });
  });

  test('implausible counts are not used, and are reported', () => {
    const untrue: unknown[] = [
      'x',
      usage({ prompt_tokens: -1 }),
      usage({ prompt_tokens: 1.5 }),
      usage({ prompt_tokens: '10' }),
      usage({ prompt_tokens: 1_001 }),
      usage({ completion_tokens: 101 }),
      usage({ prompt_tokens_details: { cached_tokens: 11 } }),
      usage({ prompt_tokens_details: { cached_tokens: -1 } }),
      usage({ prompt_tokens_details: { cached_tokens: '3' } }),
      usage({ cached_tokens: 11 }),
      usage({ prompt_cache_hit_tokens: -1 }),
    ];
    for (const value of untrue) {
      assert.equal(read(usageChunk(usage()), usageChunk(value)), null, JSON.stringify(value));
      assert.equal(rejected, 1);
    }
  });

  test('one without both counts is none', () => {
    const counts = [{}, [], { total_tokens: 9 }, { prompt_tokens: null, completion_tokens: null }];
    for (const none of [...counts, usage({ prompt_tokens: null }), usage({ completion_tokens: undefined })]) {
      assert.equal(read(usageChunk(usage()), usageChunk(none))?.promptTokens, 10, JSON.stringify(none));
      assert.equal(read(usageChunk(none)), null);
      assert.equal(rejected, 0);
    }
  });

  test('cached tokens have several names, and that of OpenAI wins', () => {
    const cached = (own: object, rest: object = {}) => read({ ...usageChunk(usage(own)), ...rest })?.cachedTokens;
    assert.equal(cached({ cached_tokens: 9 }), 9);
    assert.equal(cached({ prompt_cache_hit_tokens: 9, prompt_cache_miss_tokens: 1 }), 9);
    assert.equal(cached({ num_cached_tokens: 9 }), 9);
    assert.equal(cached({ cached_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } }), 4);
    assert.equal(cached({ prompt_cache_hit_tokens: 9, prompt_tokens_details: { cached_tokens: 0 } }), 0);
    assert.equal(cached({ cached_tokens: null, prompt_cache_hit_tokens: 9, prompt_tokens_details: null }), 9);
    assert.equal(cached({}, { timings: { cache_n: 7 } }), 7);
    assert.equal(cached({ cached_tokens: 0 }, { timings: { cache_n: 7 } }), 0);
    assert.equal(cached({}, { timings: { cache_n: 11 } }), 0);
  });

  test('missing or null cached tokens read as 0', () => {
    for (const prompt_tokens_details of [undefined, null, {}, { cached_tokens: null }])
      assert.equal(read(usageChunk(usage({ prompt_tokens_details })))?.cachedTokens, 0);
  });

  test('an implausible reasoning count is ignored, the other counts are used', () => {
    const details = (reasoning_tokens: unknown) => usage({ completion_tokens_details: { reasoning_tokens } });
    assert.equal(read(usageChunk(details(4)))?.reasoningTokens, 4);
    assert.equal(read(usageChunk(details(6)))?.reasoningTokens, null);
    assert.equal(read(usageChunk(details('4')))?.reasoningTokens, null);
    assert.equal(rejected, 0);
  });
});

describe('an answer above its limit in bytes is a fault, and one at the limit is not', () => {
  const called = (part: object) => choice({ tool_calls: [{ index: 0, ...part }] });
  const cases: [name: string, bytes: number, chunks: readonly unknown[]][] = [
    ['text, in UTF-8', 6, [choice({ content: 'aé' }), choice({ content: '語' })]],
    ['reasoning and text together', 4, [choice({ reasoning: 'ab' }), choice({ content: 'cd' })]],
    [
      'the id, the name and the arguments of a call',
      6,
      [called({ id: 'id', function: { name: 'f' } }), called({ function: { arguments: '{ }' } })],
    ],
    [
      'the id of a call once',
      4,
      [called({ id: 'id', function: { name: 'f' } }), called({ id: 'id' }), choice({ content: 'a' })],
    ],
    [
      'arguments that wait for a name',
      4,
      [called({ function: { arguments: 'ab' } }), called({ function: { arguments: 'c', name: 'f' } })],
    ],
    ['logprobs as JSON', 10, [choice({ content: 'a' }, { logprobs: { content: [{ a: 1 }] } })]],
  ];
  for (const [name, bytes, chunks] of cases) {
    test(name, () => {
      eventsOf(chunks, { answerBytesMax: bytes });
      assert.throws(() => eventsOf(chunks, { answerBytesMax: bytes - 1 }), /larger than \d+ bytes/);
    });
  }
});

test('a call of a function that stands for a custom tool is marked', () => {
  const call = (index: number, name: string) =>
    choice({ tool_calls: [{ index, id: `c${index}`, function: { name } }] });
  const calls = eventsOf([call(0, 'patch'), call(1, 'look'), choice({}, { finish_reason: 'tool_calls' })]);
  assert.deepEqual(calls.slice(0, 2), [
    { type: 'tool-call', index: 0, id: 'c0', name: 'patch', custom: true },
    { type: 'tool-call', index: 1, id: 'c1', name: 'look' },
  ]);
});
