/**
 * Checks the streams of chat and of text completions; tests check every such stream with it. Both have comments, frames
 * without names, chunks that belong together, one finish, the usage chunk when requested and `[DONE]`, or one error frame
 * and nothing after it. It knows only the wire and imports nothing of the gateway. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { readSse, type SseListener } from './sse-reader.ts';

interface ChatChoice extends StreamChoice {
  readonly delta: Delta;
  readonly logprobs?: { content: unknown[] } | null;
}

interface Delta {
  role?: string;
  content?: string;
  reasoning_content?: string;
  tool_calls?: CallDelta[];
}

interface CallDelta {
  index: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments: string };
}

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/**
 * A chat: one role chunk, then text, reasoning and calls, each call opened once and in order. Throws an AssertionError at
 * the first violation, also when the stream is incomplete.
 */
export function checkChatStream(body: string) {
  const read = { text: '', reasoning: '', toolCalls: [] as Call[], logprobs: [] as unknown[] };
  let speaks = false;
  const stream = checkChunkStream<ChatChoice>(body, {
    object: 'chat.completion.chunk',
    finishReasons: ['stop', 'length', 'tool_calls', 'content_filter'],
    choice({ delta, logprobs }) {
      assert.equal(delta.role, speaks ? undefined : 'assistant', 'only the first chunk has the role');
      speaks = true;
      read.text += delta.content ?? '';
      read.reasoning += delta.reasoning_content ?? '';
      for (const call of delta.tool_calls ?? []) takeCall(read.toolCalls, call);
      read.logprobs.push(...(logprobs?.content ?? []));
    },
  });
  return { ...stream, ...read };
}

function takeCall(calls: Call[], { index, id, type, function: called }: CallDelta): void {
  assert.equal(typeof called.arguments, 'string', 'arguments come as text');
  const open = calls[index];
  if (open) {
    assert.deepEqual([id, type, called.name], [undefined, undefined, undefined], 'a call is opened once');
    open.arguments += called.arguments;
    return;
  }
  assert.equal(index, calls.length, 'calls are numbered from 0 without gaps');
  assert.ok(id && called.name && type === 'function', 'a call opens with its id, type and name');
  assert.ok(!calls.some((other) => other.id === id), 'two calls share an id');
  calls.push({ id, name: called.name, arguments: called.arguments });
}

/** The content of such a stream, assembled as a client would. */
interface ChunkStream {
  readonly id: string | null;
  readonly model: string | null;
  /** Comment lines, before and between chunks. */
  readonly comments: number;
  readonly finishReason: string | null;
  /** The usage of the last chunk; null when it was not requested or the stream failed. */
  readonly usage: Record<string, unknown> | null;
  /** The error that ended the stream; null when it ended with `[DONE]`. */
  readonly error: { message: string; type: string; param: string | null; code: string } | null;
}

/** The fields of every choice. */
interface StreamChoice {
  readonly index: number;
  readonly finish_reason: string | null;
}

interface Chunk<Own extends StreamChoice> {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Own[];
  readonly usage?: Record<string, unknown> | null;
}

interface ChunkShape<Own extends StreamChoice> {
  readonly object: string;
  readonly finishReasons: readonly string[];
  /** Takes the choice of a chunk, also the one with the finish. */
  choice(choice: Own): void;
}

function checkChunkStream<Own extends StreamChoice>(body: string, shape: ChunkShape<Own>): ChunkStream {
  const checker = new ChunkStreamChecker(shape);
  readSse(body, checker);
  return checker.end();
}

class ChunkStreamChecker<Own extends StreamChoice> implements SseListener {
  readonly #shape: ChunkShape<Own>;
  #state: 'output' | 'finished' | 'accounted' | 'over' = 'output';
  #comments = 0;
  #first: Chunk<Own> | null = null;
  #finishReason: string | null = null;
  #usage: Record<string, unknown> | null = null;
  #error: ChunkStream['error'] = null;

  constructor(shape: ChunkShape<Own>) {
    this.#shape = shape;
  }

  end(): ChunkStream {
    assert.equal(this.#state, 'over', 'the stream ends with [DONE] or an error');
    return {
      id: this.#first?.id ?? null,
      model: this.#first?.model ?? null,
      comments: this.#comments,
      finishReason: this.#finishReason,
      usage: this.#usage,
      error: this.#error,
    };
  }

  comment(): void {
    assert.notEqual(this.#state, 'over', 'a comment comes after the end');
    this.#comments++;
  }

  frame(event: string | null, data: string): void {
    assert.equal(event, null, 'frames of this shape have no names');
    assert.notEqual(this.#state, 'over', 'a frame comes after the end');
    if (data === '[DONE]') this.#done();
    else this.#json(JSON.parse(data));
  }

  #json(chunk: Chunk<Own> & { error?: object }): void {
    if ('error' in chunk) {
      this.#failed(chunk.error);
      return;
    }
    this.#sameStream(chunk);
    const [choice, ...more] = chunk.choices;
    assert.equal(more.length, 0, 'a chunk has one choice');
    if (choice) this.#output(choice, chunk);
    else this.#accounted(chunk);
  }

  #sameStream(chunk: Chunk<Own>): void {
    assert.equal(chunk.object, this.#shape.object);
    assert.ok(Number.isInteger(chunk.created), 'created is in whole seconds');
    this.#first ??= chunk;
    for (const key of ['id', 'created', 'model'] as const)
      assert.equal(chunk[key], this.#first[key], `${key} changes within the stream`);
    assert.equal('usage' in chunk, 'usage' in this.#first, 'either every chunk has usage or none');
  }

  #output(choice: Own, { usage }: Chunk<Own>): void {
    assert.equal(this.#state, 'output', 'output comes after the finish');
    assert.equal(usage ?? null, null, 'usage comes before the last chunk');
    assert.equal(choice.index, 0);
    this.#shape.choice(choice);
    const { finish_reason: reason } = choice;
    if (reason === null) return;
    assert.ok(this.#shape.finishReasons.includes(reason), `unknown finish_reason ${reason}`);
    this.#finishReason = reason;
    this.#state = 'finished';
  }

  #accounted({ usage }: Chunk<Own>): void {
    assert.equal(this.#state, 'finished', 'the usage chunk comes after the finish');
    assert.ok(usage, 'a chunk without choices carries usage');
    this.#usage = usage;
    this.#state = 'accounted';
  }

  #done(): void {
    const wantsUsage = this.#first !== null && 'usage' in this.#first;
    assert.equal(this.#state, wantsUsage ? 'accounted' : 'finished', '[DONE] comes after the finish and the usage');
    this.#state = 'over';
  }

  #failed(error: unknown): void {
    assert.equal(this.#state, 'output', 'an error comes after the finish');
    assert.deepEqual(Object.keys(error as object).sort(), ['code', 'message', 'param', 'type']);
    this.#error = error as ChunkStream['error'];
    this.#state = 'over';
  }
}

/** A text completion: chunks of text, none of them empty, and a finish without text. Throws as `checkChatStream`. */
export function checkCompletionStream(body: string): ChunkStream & { readonly text: string } {
  let text = '';
  const stream = checkChunkStream<StreamChoice & { text: string; logprobs: null }>(body, {
    object: 'text_completion',
    finishReasons: ['stop', 'length', 'content_filter'],
    choice({ text: piece, logprobs, finish_reason }) {
      assert.equal(logprobs, null);
      if (finish_reason === null) assert.notEqual(piece, '', 'a chunk has no text');
      else assert.equal(piece, '', 'the finish has text');
      text += piece;
    },
  });
  return { ...stream, text };
}
