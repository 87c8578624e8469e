/**
 * Checks a text completion stream as it arrives: chunks of text, none of them empty, and a finish without text. Tests
 * check every such stream with it. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { type ChunkStream, ChunkStreamReader, type StreamChoice } from './chunk-stream.ts';

/** The content of a whole stream. */
export interface ReadCompletionStream extends ChunkStream {
  readonly text: string;
}

interface TextChoice extends StreamChoice {
  readonly text: string;
  readonly logprobs: null;
}

/** Checks a whole stream at once. */
export function checkCompletionStream(text: string): ReadCompletionStream {
  const checker = new CompletionStreamChecker();
  checker.push(text);
  return checker.end();
}

/** Takes a stream in pieces cut anywhere; throws an AssertionError at the first violation. */
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

  /** Ends the body. Throws when the stream is incomplete. */
  end(): ReadCompletionStream {
    return { ...this.#stream.end(), text: this.#text };
  }

  #choice({ text, logprobs, finish_reason }: TextChoice): void {
    assert.equal(logprobs, null);
    if (finish_reason === null) assert.notEqual(text, '', 'a chunk has no text');
    else assert.equal(text, '', 'the finish has text');
    this.#text += text;
  }
}
