/**
 * Checks a chat completion stream while it comes: comments, one role chunk, output, one finish, the usage chunk when
 * asked for, `[DONE]`; or one error frame and nothing after it. Tests run it over every such stream they see. It knows
 * the wire alone and imports nothing of the gateway. Spec 6.2.
 */
import assert from 'node:assert/strict';

/** What a whole stream said, put together as a client would. */
export interface ChatStream {
  readonly id: string | null;
  readonly model: string | null;
  /** Comment lines, before and between chunks. */
  readonly comments: number;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: string }[];
  readonly logprobs: readonly unknown[];
  readonly finishReason: string | null;
  /** The usage of the last chunk; null when none was asked for or the stream failed. */
  readonly usage: Record<string, unknown> | null;
  /** The error that ended the stream; null when it ended with `[DONE]`. */
  readonly error: { message: string; type: string; param: string | null; code: string } | null;
}

interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: Choice[];
  usage?: Record<string, unknown> | null;
  error?: unknown;
}

interface Choice {
  index: number;
  delta: Delta;
  finish_reason: string | null;
  logprobs?: { content: unknown[] } | null;
}

interface Delta {
  role?: string;
  content?: string;
  reasoning_content?: string;
  tool_calls?: {
    index: number;
    id?: string;
    type?: string;
    function: { name?: string; arguments: string };
  }[];
}

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'];

/** Checks a whole stream at once. */
export function checkChatStream(text: string): ChatStream {
  const checker = new ChatStreamChecker();
  checker.push(text);
  return checker.end();
}

/** Takes a stream in pieces cut anywhere; throws an AssertionError at the first thing that must not be. */
export class ChatStreamChecker {
  #rest = '';
  #frame: string | null = null;
  #state: 'waiting' | 'output' | 'finished' | 'accounted' | 'over' = 'waiting';
  #comments = 0;
  #first: Chunk | null = null;
  #text = '';
  #reasoning = '';
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  readonly #logprobs: unknown[] = [];
  #finishReason: string | null = null;
  #usage: Record<string, unknown> | null = null;
  #error: ChatStream['error'] = null;

  /** The next piece of the body. */
  push(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /** The body has ended. Throws when the stream had not. */
  end(): ChatStream {
    assert.equal(this.#rest, '', 'the body ends within a line');
    assert.equal(this.#frame, null, 'the body ends within a frame');
    assert.equal(this.#state, 'over', 'the stream ends with [DONE] or an error');
    return {
      id: this.#first?.id ?? null,
      model: this.#first?.model ?? null,
      comments: this.#comments,
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls: this.#calls,
      logprobs: this.#logprobs,
      finishReason: this.#finishReason,
      usage: this.#usage,
      error: this.#error,
    };
  }

  #line(line: string): void {
    if (line.startsWith(':')) {
      assert.equal(this.#frame, null, 'a comment stands within a frame');
      assert.notEqual(this.#state, 'over', 'a comment comes after the end');
      this.#comments++;
    } else if (line === '') {
      assert.notEqual(this.#frame, null, 'an empty line ends no frame, which some clients read as an empty event');
      const frame = this.#frame ?? '';
      this.#frame = null;
      this.#data(frame);
    } else {
      assert.ok(line.startsWith('data: '), `a line is neither data nor comment: ${line}`);
      assert.equal(this.#frame, null, 'a frame has two lines of data');
      this.#frame = line.slice('data: '.length);
    }
  }

  #data(data: string): void {
    assert.notEqual(this.#state, 'over', 'a frame comes after the end');
    if (data === '[DONE]') {
      this.#done();
      return;
    }
    const chunk: Chunk = JSON.parse(data);
    if ('error' in chunk) {
      this.#failed(chunk.error);
      return;
    }
    this.#sameStream(chunk);
    const [choice] = chunk.choices;
    if (choice) this.#answer(chunk, choice);
    else this.#accounted(chunk);
  }

  #answer(chunk: Chunk, choice: Choice): void {
    assert.equal(chunk.choices.length, 1, 'a chunk has one choice');
    assert.equal(choice.index, 0);
    if (this.#state === 'waiting') {
      assert.equal(choice.delta.role, 'assistant', 'the first chunk says who speaks');
      this.#state = 'output';
    } else {
      assert.equal(this.#state, 'output', 'output comes after the finish');
      assert.equal(choice.delta.role, undefined, 'the role comes once');
    }
    this.#output(choice);
  }

  #sameStream(chunk: Chunk): void {
    assert.equal(chunk.object, 'chat.completion.chunk');
    assert.ok(Number.isInteger(chunk.created), 'created is whole seconds');
    this.#first ??= chunk;
    for (const key of ['id', 'created', 'model'] as const)
      assert.equal(chunk[key], this.#first[key], `${key} changes within the stream`);
    assert.equal('usage' in chunk, 'usage' in this.#first, 'either every chunk has usage or none');
    if (chunk.choices.length > 0) assert.equal(chunk.usage ?? null, null, 'usage comes before the last chunk');
  }

  #output({ delta, finish_reason, logprobs }: Choice): void {
    this.#text += delta.content ?? '';
    this.#reasoning += delta.reasoning_content ?? '';
    for (const call of delta.tool_calls ?? []) this.#call(call);
    this.#logprobs.push(...(logprobs?.content ?? []));
    if (finish_reason === null) return;
    assert.ok(FINISH_REASONS.includes(finish_reason), `unknown finish_reason ${finish_reason}`);
    this.#finishReason = finish_reason;
    this.#state = 'finished';
  }

  #call({ index, id, type, function: called }: NonNullable<Delta['tool_calls']>[number]): void {
    assert.equal(typeof called.arguments, 'string', 'arguments come as text');
    const open = this.#calls[index];
    if (open) {
      assert.deepEqual([id, type, called.name], [undefined, undefined, undefined], 'a call is opened once');
      open.arguments += called.arguments;
      return;
    }
    assert.equal(index, this.#calls.length, 'calls are numbered from 0 without gaps');
    assert.ok(id && called.name && type === 'function', 'a call opens with its id, type and name');
    assert.ok(!this.#calls.some((other) => other.id === id), 'two calls share an id');
    this.#calls.push({ id, name: called.name, arguments: called.arguments });
  }

  #accounted(chunk: Chunk): void {
    assert.equal(this.#state, 'finished', 'the usage chunk comes after the finish');
    assert.ok(chunk.usage, 'a chunk without choices carries usage');
    this.#usage = chunk.usage;
    this.#state = 'accounted';
  }

  #done(): void {
    const wantsUsage = this.#first !== null && 'usage' in this.#first;
    assert.equal(this.#state, wantsUsage ? 'accounted' : 'finished', '[DONE] comes after the finish and the usage');
    this.#state = 'over';
  }

  #failed(error: unknown): void {
    assert.ok(this.#state === 'waiting' || this.#state === 'output', 'an error comes after the finish');
    assert.deepEqual(Object.keys(error as object).sort(), ['code', 'message', 'param', 'type']);
    this.#error = error as ChatStream['error'];
    this.#state = 'over';
  }
}
