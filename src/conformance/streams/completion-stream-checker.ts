/**
 * Checks a text completion stream: chunks of text, none of them empty, and a finish without text. Tests
 * check every such stream with it. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { type ChunkStream, checkChunkStream, type StreamChoice } from './chunk-stream.ts';

/** The content of a whole stream. */
interface ReadCompletionStream extends ChunkStream {
  readonly text: string;
}

interface TextChoice extends StreamChoice {
  readonly text: string;
  readonly logprobs: null;
}

/** Checks a whole stream. Throws an AssertionError at the first violation, also when the stream is incomplete. */
export function checkCompletionStream(body: string): ReadCompletionStream {
  let text = '';
  const stream = checkChunkStream<TextChoice>(body, {
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
