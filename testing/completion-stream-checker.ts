/**
 * Checks a text completion stream while it comes: comments, chunks of text, one finish, the usage chunk when asked for,
 * `[DONE]`; or one error frame and nothing after it. Tests run it over every such stream they see. It knows the wire
 * alone and imports nothing of the gateway. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { SseReader } from './sse-reader.ts';

/** What a whole stream said, put together as a client would. */
export interface CompletionStream {
  readonly id: string | null;
  readonly model: string | null;
  /** Comment lines, before and between chunks. */
  readonly comments: number;
  readonly text: string;
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
  choices: { index: number; text: string; finish_reason: string | null; logprobs: null }[];
  usage?: Record<string, unknown> | null;
}

const FINISH_REASONS = ['stop', 'length', 'content_filter'];

/** Checks a whole stream at once. */
export function checkCompletionStream(text: string): CompletionStream {
  const checker = new CompletionStreamChecker();
  checker.push(text);
  return checker.end();
}

/** Takes a stream in pieces cut anywhere; throws an AssertionError at the first thing that must not be. */
export class CompletionStreamChecker {
  readonly #reader = new SseReader({
    frame: (event, data) => this.#frame(event, data),
    comment: () => this.#comment(),
  });
  #state: 'output' | 'finished' | 'accounted' | 'over' = 'output';
  #comments = 0;
  #first: Chunk | null = null;
  #text = '';
  #finishReason: string | null = null;
  #usage: Record<string, unknown> | null = null;
  #error: CompletionStream['error'] = null;

  /** The next piece of the body. */
  push(piece: string): void {
    this.#reader.push(piece);
  }

  /** The body has ended. Throws when the stream had not. */
  end(): CompletionStream {
    this.#reader.end();
    assert.equal(this.#state, 'over', 'the stream ends with [DONE] or an error');
    return {
      id: this.#first?.id ?? null,
      model: this.#first?.model ?? null,
      comments: this.#comments,
      text: this.#text,
      finishReason: this.#finishReason,
      usage: this.#usage,
      error: this.#error,
    };
  }

  #comment(): void {
    assert.notEqual(this.#state, 'over', 'a comment comes after the end');
    this.#comments++;
  }

  #frame(event: string | null, data: string): void {
    assert.equal(event, null, 'frames of this shape have no names');
    assert.notEqual(this.#state, 'over', 'a frame comes after the end');
    if (data === '[DONE]') this.#done();
    else this.#json(JSON.parse(data));
  }

  #json(chunk: Chunk & { error?: object }): void {
    if (chunk.error) {
      this.#failed(chunk.error);
      return;
    }
    this.#sameStream(chunk);
    if (chunk.choices.length > 0) this.#output(chunk);
    else this.#accounted(chunk);
  }

  #sameStream(chunk: Chunk): void {
    assert.equal(chunk.object, 'text_completion');
    assert.ok(Number.isInteger(chunk.created), 'created is whole seconds');
    this.#first ??= chunk;
    for (const key of ['id', 'created', 'model'] as const)
      assert.equal(chunk[key], this.#first[key], `${key} changes within the stream`);
    assert.equal('usage' in chunk, 'usage' in this.#first, 'either every chunk has usage or none');
  }

  #output({ choices, usage }: Chunk): void {
    assert.equal(this.#state, 'output', 'output comes after the finish');
    assert.equal(usage ?? null, null, 'usage comes before the last chunk');
    const [choice, ...more] = choices;
    assert.ok(choice && more.length === 0, 'a chunk has one choice');
    assert.deepEqual([choice.index, choice.logprobs], [0, null]);
    this.#text += choice.text;
    if (choice.finish_reason === null) {
      assert.notEqual(choice.text, '', 'a chunk says nothing');
      return;
    }
    assert.equal(choice.text, '', 'the finish brings text');
    assert.ok(FINISH_REASONS.includes(choice.finish_reason), `unknown finish_reason ${choice.finish_reason}`);
    this.#finishReason = choice.finish_reason;
    this.#state = 'finished';
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

  #failed(error: object): void {
    assert.equal(this.#state, 'output', 'an error comes after the finish');
    assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
    this.#error = error as CompletionStream['error'];
    this.#state = 'over';
  }
}
