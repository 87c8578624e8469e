/**
 * Checks a chat completion stream: one role chunk, then text, reasoning and calls, each call opened once
 * and in order. Tests check every such stream with it. Spec 6.2.
 */
import assert from 'node:assert/strict';
import { type ChunkStream, checkChunkStream, type StreamChoice } from './chunk-stream.ts';

/** The content of a whole stream. */
interface ReadChatStream extends ChunkStream {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly Call[];
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

/** Checks a whole stream. Throws an AssertionError at the first violation, also when the stream is incomplete. */
export function checkChatStream(body: string): ReadChatStream {
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
