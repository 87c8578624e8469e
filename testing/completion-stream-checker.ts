/**
 * Checks a text completion stream while it comes: chunks of text, none of them empty, and a finish without any. Tests run
 * it over every such stream they see. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { type Choice, type ChunkStream, ChunkStreamReader } from './chunk-stream.ts';

/** What a whole stream said. */
export interface CompletionStream extends ChunkStream {
  readonly text: string;
}

interface TextChoice extends Choice {
  readonly text: string;
  readonly logprobs: null;
}

/** Checks a whole stream at once. */
export function checkCompletionStream(text: string): CompletionStream {
  const checker = new CompletionStreamChecker();
  checker.push(text);
  return checker.end();
}

/** Takes a stream in pieces cut anywhere; throws an AssertionError at the first thing that must not be. */
export class CompletionStreamChecker {
  readonly #stream = new ChunkStreamReader<TextChoice>({
    object: 'text_completion',
    finishReasons: ['stop', 'length', 'content_filter'],
    choice: (choice) => this.#choice(choice),
  });
  #text = '';

  /** The next piece of the body. */
  push(piece: string): void {
    this.#stream.push(piece);
  }

  /** The body has ended. Throws when the stream had not. */
  end(): CompletionStream {
    return { ...this.#stream.end(), text: this.#text };
  }

  #choice({ text, logprobs, finish_reason }: TextChoice): void {
    assert.equal(logprobs, null);
    if (finish_reason === null) assert.notEqual(text, '', 'a chunk says nothing');
    else assert.equal(text, '', 'the finish brings text');
    this.#text += text;
  }
}
