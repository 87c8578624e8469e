/**
 * Checks a chat completion stream as it arrives: one role chunk, then text, reasoning and calls, each call opened once
 * and in order. Tests check every such stream with it. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { type ChunkStream, ChunkStreamReader, type StreamChoice } from './chunk-stream.ts';

/** The content of a whole stream. */
export interface ReadChatStream extends ChunkStream {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: string }[];
  readonly logprobs: readonly unknown[];
}

interface ChatChoice extends StreamChoice {
  readonly delta: Delta;
  readonly logprobs?: { content: unknown[] } | null;
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

/** Checks a whole stream at once. */
export function checkChatStream(text: string): ReadChatStream {
  const checker = new ChatStreamChecker();
  checker.push(text);
  return checker.end();
}

/** Takes a stream in pieces cut anywhere; throws an AssertionError at the first violation. */
export class ChatStreamChecker {
  readonly #stream = new ChunkStreamReader<ChatChoice>({
    object: 'chat.completion.chunk',
    finishReasons: ['stop', 'length', 'tool_calls', 'content_filter'],
    choice: (choice) => this.#choice(choice),
  });
  #speaks = false;
  #text = '';
  #reasoning = '';
  readonly #calls: { id: string; name: string; arguments: string }[] = [];
  readonly #logprobs: unknown[] = [];

  /** The next piece of the body. */
  push(piece: string): void {
    this.#stream.push(piece);
  }

  /** Ends the body. Throws when the stream is incomplete. */
  end(): ReadChatStream {
    return {
      ...this.#stream.end(),
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls: this.#calls,
      logprobs: this.#logprobs,
    };
  }

  #choice({ delta, logprobs }: ChatChoice): void {
    assert.equal(delta.role, this.#speaks ? undefined : 'assistant', 'only the first chunk has the role');
    this.#speaks = true;
    this.#text += delta.content ?? '';
    this.#reasoning += delta.reasoning_content ?? '';
    for (const call of delta.tool_calls ?? []) this.#call(call);
    this.#logprobs.push(...(logprobs?.content ?? []));
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
}
