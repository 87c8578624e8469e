/**
 * One row for each wire shape: a smallest request, and how to read its answers in words of no shape, so that
 * `src/adapters/conformance.test.ts` can check all of them by the same rules.
 */
import assert from 'node:assert/strict';
import type { WireShape } from '#adapters/common/wire-shape.ts';
import { chatShape, completionShape, messagesShape, responsesShape } from '#adapters/shapes.ts';
import { checkChatStream, checkCompletionStream } from '#conformance/streams/chat-stream-checker.ts';
import { checkMessagesStream, type MessageBlock } from '#conformance/streams/messages-stream-checker.ts';
import { checkResponsesStream, type ResponseItem } from '#conformance/streams/responses-stream-checker.ts';
import type { OrderKind } from '#orders/order.ts';
import type { JsonObject } from '#orders/request.ts';
import { conforming, conformingFrames } from './conforming.ts';

/** What an answer says, in words of no shape. */
export interface AnswerReading {
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: string }[];
  readonly finish: unknown;
  readonly tokens: { uncached: number; cached: number; output: number };
  readonly receipt: unknown;
}

/** A shape, and what the rules need to know about it. */
export interface ShapeRow<Echo> {
  readonly shape: WireShape<Echo>;
  readonly kind: OrderKind;
  /** Checks an object, and the frames of a stream, against the interface document. */
  readonly checkObject: (answer: JsonObject) => JsonObject;
  readonly checkFrames: (text: string) => string;
  /** The smallest request; a stream requests usage where the shape requires that. */
  readonly body: JsonObject;
  /** Every field that the shape reads. */
  readonly fields: readonly string[];
  readonly priceField: string;
  readonly priceHeader: string;
  readonly readObject: (answer: JsonObject) => AnswerReading;
  /** Checks the whole stream and reads it. */
  readonly readStream: (text: string) => AnswerReading;
  /** The code of the error that ends the stream; null when it ended well. */
  readonly readFailure: (text: string) => string | null;
}

const chat: ShapeRow<unknown> = {
  shape: chatShape,
  kind: 'chat',
  checkObject: (answer) => conforming('createChatCompletion 200', answer),
  checkFrames: (text) => conformingFrames('createChatCompletion', text),
  body: { messages: [{ role: 'user', content: 'Hi' }], stream_options: { include_usage: true } },
  fields: [
    ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
    ...['stop', 'n', 'best_of', 'tools', 'logprobs', 'price_limit', 'price_lock', 'max_wait', 'expires_after'],
    ...['detached', 'store', 'retention_days', 'metadata', 'user'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject(answer) {
    const { id, choices, usage } = answer as unknown as ChatCompletion;
    const [choice] = choices;
    assert.ok(choice);
    const { message } = choice;
    return {
      id,
      text: message.content ?? '',
      reasoning: message.reasoning_content ?? '',
      toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      finish: choice.finish_reason,
      ...readOpenaiUsage(usage),
    };
  },
  readStream(text) {
    const stream = checkChatStream(text);
    assert.ok(stream.usage && stream.id);
    const { id, reasoning, toolCalls } = stream;
    return {
      id,
      text: stream.text,
      reasoning,
      toolCalls,
      finish: stream.finishReason,
      ...readOpenaiUsage(stream.usage),
    };
  },
  readFailure: (text) => checkChatStream(text).error?.code ?? null,
};

const completion: ShapeRow<unknown> = {
  shape: completionShape,
  kind: 'completion',
  checkObject: (answer) => conforming('createCompletion 200', answer),
  checkFrames: (text) => conformingFrames('createCompletion', text),
  body: { prompt: 'Hi', stream_options: { include_usage: true } },
  fields: [
    ...['model', 'prompt', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
    ...['stop', 'n', 'best_of', 'tools', 'logprobs', 'echo', 'price_limit', 'price_lock', 'max_wait', 'expires_after'],
    ...['detached', 'store', 'retention_days', 'metadata', 'user', 'messages'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject(answer) {
    const { id, choices, usage } = answer as unknown as TextCompletion;
    const [choice] = choices;
    assert.ok(choice);
    const { text, finish_reason: finish } = choice;
    return { id, text, reasoning: '', toolCalls: [], finish, ...readOpenaiUsage(usage) };
  },
  readStream(text) {
    const { id, text: said, finishReason: finish, usage } = checkCompletionStream(text);
    assert.ok(usage && id);
    return { id, text: said, reasoning: '', toolCalls: [], finish, ...readOpenaiUsage(usage) };
  },
  readFailure: (text) => checkCompletionStream(text).error?.code ?? null,
};

const messages: ShapeRow<null> = {
  shape: messagesShape,
  kind: 'messages',
  checkObject: (answer) => conforming('createMessage 200', answer),
  checkFrames: (text) => conformingFrames('createMessage', text),
  body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
  fields: [
    ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'temperature', 'top_p', 'top_k', 'stream'],
    ...['stop_sequences', 'metadata', 'thinking', 'output_config', 'mcp_servers', 'max_price', 'price_limit'],
    ...['price_lock', 'max_wait', 'expires_after', 'detached', 'store', 'retention_days'],
  ],
  priceField: 'max_price',
  priceHeader: 'x-max-price',
  readObject(answer) {
    const { id, content, stop_reason: finish, usage } = answer as unknown as Message;
    return { id, ...readBlocks(content), finish, ...readMessagesUsage(usage) };
  },
  readStream(text) {
    const { id, content, stopReason: finish, usage } = checkMessagesStream(text);
    assert.ok(usage && id);
    return { id, ...readBlocks(content), finish, ...readMessagesUsage(usage) };
  },
  readFailure: (text) => checkMessagesStream(text).error?.code ?? null,
};

const responses: ShapeRow<JsonObject> = {
  shape: responsesShape,
  kind: 'responses',
  checkObject: (answer) => conforming('createResponse 200', answer),
  checkFrames: (text) => conformingFrames('createResponse', text),
  body: { input: 'Hi' },
  fields: [
    ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'max_output_tokens', 'temperature', 'top_p', 'text'],
    ...[
      'reasoning',
      'parallel_tool_calls',
      'metadata',
      'store',
      'stream',
      'user',
      'previous_response_id',
      'truncation',
    ],
    ...['background', 'price_limit', 'max_price', 'price_lock', 'max_wait', 'expires_after', 'detached'],
    ...['retention_days', 'include', 'messages'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject: readResponse,
  readStream: (text) => readResponse(checkResponsesStream(text).response),
  readFailure: (text) => checkResponsesStream(text).error?.code ?? null,
};

/** Every shape. */
export const shapeRows: readonly ShapeRow<unknown>[] = [chat, completion, responses, messages];

interface ChatCompletion {
  id: string;
  choices: {
    message: {
      content: string | null;
      reasoning_content?: string;
      tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    };
    finish_reason: string;
  }[];
  usage: Record<string, unknown>;
}

interface TextCompletion {
  id: string;
  choices: { text: string; finish_reason: string }[];
  usage: Record<string, unknown>;
}

interface Response {
  id: string;
  output: ResponseItem[];
  status: string;
  incomplete_details: { reason: string } | null;
  usage: Record<string, unknown>;
}

interface Message {
  id: string;
  content: MessageBlock[];
  stop_reason: string;
  usage: Record<string, unknown>;
}

function readResponse(response: JsonObject): AnswerReading {
  const { id, output, incomplete_details, status, usage } = response as unknown as Response;
  const said = (type: string) => output.filter((item) => item.type === type);
  const texts = (type: string) => said(type).flatMap(({ content }) => content as { text: string }[]);
  return {
    id,
    text: texts('message')
      .map(({ text }) => text)
      .join(''),
    reasoning: texts('reasoning')
      .map(({ text }) => text)
      .join(''),
    toolCalls: output
      .filter(({ call_id: id }) => id !== undefined)
      .map((item) => ({
        id: String(item.call_id),
        name: String(item.name),
        arguments: item.type === 'function_call' ? String(item.arguments) : JSON.stringify({ input: item.input }),
      })),
    finish: [status, incomplete_details?.reason, output.map((item) => [item.id, item.status])],
    ...readResponseUsage(usage),
  };
}

function readResponseUsage(usage: Record<string, unknown>): Pick<AnswerReading, 'tokens' | 'receipt'> {
  const [input, output] = [Number(usage.input_tokens), Number(usage.output_tokens)];
  const { cached_tokens: cached } = usage.input_tokens_details as { cached_tokens: number };
  assert.equal(usage.total_tokens, input + output);
  return { tokens: { uncached: input - cached, cached, output }, receipt: usage.x_market };
}

function readBlocks(content: readonly MessageBlock[]): Pick<AnswerReading, 'text' | 'reasoning' | 'toolCalls'> {
  const calls = content.filter((block) => block.type === 'tool_use');
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
  };
}

/** For shapes whose prompt tokens do not include the cached ones. */
function readMessagesUsage(usage: Record<string, unknown>): Pick<AnswerReading, 'tokens' | 'receipt'> {
  assert.equal(usage.cache_creation_input_tokens, 0);
  const [uncached, cached] = [Number(usage.input_tokens), Number(usage.cache_read_input_tokens)];
  return { tokens: { uncached, cached, output: Number(usage.output_tokens) }, receipt: usage.x_market };
}

/** For shapes whose prompt tokens include the cached ones. */
function readOpenaiUsage(usage: Record<string, unknown>): Pick<AnswerReading, 'tokens' | 'receipt'> {
  const prompt = Number(usage.prompt_tokens);
  const { cached_tokens: cached } = usage.prompt_tokens_details as { cached_tokens: number };
  assert.equal(usage.total_tokens, prompt + Number(usage.completion_tokens));
  return {
    tokens: { uncached: prompt - cached, cached, output: Number(usage.completion_tokens) },
    receipt: usage.x_market,
  };
}
