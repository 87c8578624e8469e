/**
 * A server that plays a chat backend, for tests and benchmarks. Answers are prebuilt buffers, so that a benchmark
 * measures the gateway. Runs in a test (`startMockBackend`) or from the shell: `node testing/mock-backend.ts --port
 * 9000 --chunks 8 --write each --delay-ms 0`.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { listening } from './listening.ts';

/** One answer of the mock. */
export interface MockReply {
  /** Default: 200. */
  readonly status?: number;
  /** Default: `text/event-stream`. */
  readonly contentType?: string;
  /** The pieces of the body, in order. */
  readonly writes: readonly (string | Uint8Array)[];
  /** `together` (default): one write for all. `each`: one write each, in turns of the event loop `delayMs` apart. */
  readonly write?: 'together' | 'each';
  readonly delayMs?: number;
  /** With `each`: the write of this index, and those after it, wait until this resolves. */
  readonly holdAt?: { readonly write: number; readonly until: Promise<unknown> };
  /** No answer is sent before this resolves. */
  readonly headAfter?: Promise<unknown>;
  /** After the last write: `end` (default), `hang` (stay open), `reset` (destroy the connection). */
  readonly after?: 'end' | 'hang' | 'reset';
  /** Send neither head nor body, whatever else is given: `hang` stays silent, `reset` destroys the connection. */
  readonly instead?: 'hang' | 'reset';
}

/** A request that the mock received. */
export interface MockRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body, parsed when it is JSON. */
  readonly body: Record<string, unknown>;
}

export interface MockBackendOptions {
  /** Default: 0, which takes a free port. */
  readonly port?: number;
  /** The answer to chat requests. Default: `cannedReply()`. */
  readonly reply?: MockReply | ((request: MockRequest, count: number) => MockReply);
  /** False: requests are not kept and bodies not parsed. For benchmarks. */
  readonly record?: boolean;
  /** The status of GET /v1/models. Default: 200. */
  readonly modelsStatus?: number | (() => number);
  /** The `owned_by` of its model. Default: none. */
  readonly ownedBy?: () => string;
  /** The model that it lists. Default: one without a name, as of a server that takes every name. */
  readonly listed?: () => string;
}

const JSON_HEAD = { 'content-type': 'application/json' };
/** Responses whose connection the mock itself destroyed: they do not count as aborted by the client. */
const tornDown = new WeakSet<ServerResponse>();

/** Emitted by a response whose last piece is written, though it has not ended. */
const ANSWERED = 'answered';

export interface MockBackend {
  /** The address for a pod: `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** The chat requests that it received, oldest first. */
  readonly requests: readonly MockRequest[];
  /** How many answers the client aborted. */
  readonly aborts: number;
  /** The chat requests of the moment at which it worked on the most, by their `x-request-id`. */
  readonly busiest: readonly string[];
  /** Resolves when at least `count` answers have been aborted. */
  aborted(count: number): Promise<void>;
  /** Resolves when at least `count` chat requests have come. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a mock on a loopback port. */
export async function startMockBackend(options: MockBackendOptions = {}): Promise<MockBackend> {
  const requests: MockRequest[] = [];
  const counts = { requested: 0, aborted: 0 };
  const running = new Set<ServerResponse>();
  let busiest: readonly string[] = [];
  const count = () => {
    // The end of a connection is read a turn of the loop before its response closes.
    const worked = [...running].filter(({ req }) => req.socket.readable);
    if (worked.length > busiest.length) busiest = worked.map(({ req }) => String(req.headers['x-request-id']));
  };
  const counted = new EventEmitter();
  const add = (what: keyof typeof counts) => {
    counts[what]++;
    counted.emit(what);
  };
  const reaches = async (what: keyof typeof counts, count: number) => {
    while (counts[what] < count) await once(counted, what);
  };
  const reply = options.reply ?? cannedReply();
  const server = createServer((message, response) => {
    response.on('finish', () => running.delete(response));
    response.on(ANSWERED, () => running.delete(response));
    response.on('close', () => {
      running.delete(response);
      if (!response.writableFinished && !tornDown.has(response)) add('aborted');
    });
    if (message.method === 'GET') {
      const { modelsStatus = 200 } = options;
      const data = [{ id: options.listed?.(), object: 'model', owned_by: options.ownedBy?.() }];
      response.writeHead(typeof modelsStatus === 'number' ? modelsStatus : modelsStatus(), JSON_HEAD);
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    running.add(response);
    // A connection that was closed before this request came may be read later in this turn.
    if (running.size > busiest.length) setImmediate(count);
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => {
      const bytes = Buffer.concat(parts);
      if (options.record === false && typeof reply !== 'function') {
        add('requested');
        send(response, bytes.includes('"stream":true') ? reply : UNARY_REPLY);
        return;
      }
      const request = readRequest(message, bytes);
      if (options.record !== false) requests.push(request);
      add('requested');
      send(response, typeof reply === 'function' ? reply(request, counts.requested - 1) : reply);
    });
  });
  server.keepAliveTimeout = 60_000;
  const { url, close } = await listening(server, options.port);
  return {
    url: `${url}/v1`,
    requests,
    get aborts() {
      return counts.aborted;
    },
    get busiest() {
      return busiest;
    },
    aborted: (count) => reaches('aborted', count),
    requested: (count) => reaches('requested', count),
    close,
  };
}

/** What a canned answer contains. */
export interface CannedOptions {
  /** Deltas of text. Default: 8. */
  readonly chunks?: number;
  /** The reported usage; null sends none. Default: 12 prompt tokens, 4 of them cached. */
  readonly usage?: Record<string, unknown> | null;
  readonly finishReason?: string | null;
  readonly write?: 'together' | 'each';
  readonly delayMs?: number;
}

/** A stream as vLLM writes it: a role chunk, `chunks` words, the finish, the usage, `[DONE]`. */
export function cannedReply(options: CannedOptions = {}): MockReply {
  const { chunks = 8, finishReason = 'stop', write = 'together', delayMs = 0 } = options;
  const { usage = usageOf({ prompt: 12, cached: 4, output: chunks }) } = options;
  const frames: object[] = [chunkOf({ role: 'assistant', content: '' })];
  for (let word = 0; word < chunks; word++) frames.push(chunkOf({ content: `word${word} ` }));
  if (finishReason !== null) frames.push(chunkOf({}, { finish_reason: finishReason }));
  if (usage !== null) frames.push({ ...chunkOf({}), choices: [], usage });
  return { ...streamOf(frames), write, delayMs };
}

/** An answer of these chunks and `[DONE]`, each written as one frame. */
export function streamOf(chunks: readonly unknown[]): MockReply {
  return { writes: [...chunks.map(frameOf), DONE_FRAME].map((frame) => Buffer.from(frame)) };
}

/** An error answer with a body as vLLM writes it. */
export function errorReply(status: number, message: string): MockReply {
  const error = { message, type: 'BadRequestError', param: null, code: status };
  return { status, contentType: 'application/json', writes: [JSON.stringify({ error })] };
}

/** One server-sent event that holds `chunk`. */
export function frameOf(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const DONE_FRAME = 'data: [DONE]\n\n';

/** A chunk with one choice. */
export function chunkOf(delta: object, choice: object = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 1767225600,
    model: 'mock',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
  };
}

/** A `usage` object. */
export function usageOf(tokens: { prompt: number; cached: number; output: number }): Record<string, unknown> {
  return {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.output,
    total_tokens: tokens.prompt + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cached },
  };
}

/** The answer to a request without `stream`, which only other gateways in a benchmark send. */
const UNARY_REPLY: MockReply = {
  contentType: 'application/json',
  writes: [
    JSON.stringify({
      id: 'chatcmpl-mock',
      object: 'chat.completion',
      created: 1767225600,
      model: 'mock',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'word '.repeat(8) }, logprobs: null, finish_reason: 'stop' },
      ],
      usage: usageOf({ prompt: 12, cached: 4, output: 8 }),
    }),
  ],
};

function readRequest(message: IncomingMessage, bytes: Buffer): MockRequest {
  const text = bytes.toString();
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text);
  } catch {
    // A test that sends no JSON reads the other fields.
  }
  return { path: message.url ?? '', headers: message.headers, text, body };
}

function send(response: ServerResponse, reply: MockReply): void {
  if (reply.instead === 'hang') return;
  if (reply.instead === 'reset') {
    tearDown(response);
    return;
  }
  const begin = () => {
    response.writeHead(reply.status ?? 200, { 'content-type': reply.contentType ?? 'text/event-stream' });
    if (reply.write === 'each') writeEach(response, reply);
    else writeTogether(response, reply);
  };
  if (reply.headAfter) void reply.headAfter.then(begin);
  else begin();
}

/** Joined once per reply object, however often it is sent. */
const joined = new WeakMap<MockReply, Buffer>();

function writeTogether(response: ServerResponse, reply: MockReply): void {
  let bytes = joined.get(reply);
  if (!bytes) {
    bytes = Buffer.concat(reply.writes.map((write) => Buffer.from(write as string)));
    joined.set(reply, bytes);
  }
  if (reply.after === undefined || reply.after === 'end') response.end(bytes);
  else response.write(bytes, () => close(response, reply));
  if (reply.after === 'hang') response.flushHeaders();
}

function writeEach(response: ServerResponse, reply: MockReply): void {
  let next = 0;
  let { holdAt } = reply;
  const step = () => {
    if (holdAt?.write === next) {
      void holdAt.until.then(step);
      holdAt = undefined;
      return;
    }
    const bytes = reply.writes[next++];
    if (response.destroyed) return;
    if (bytes === undefined) {
      close(response, reply);
      return;
    }
    response.write(bytes);
    if (next === reply.writes.length) response.emit(ANSWERED);
    if (reply.delayMs) setTimeout(step, reply.delayMs);
    else setImmediate(step);
  };
  step();
}

function close(response: ServerResponse, reply: MockReply): void {
  if (reply.after === 'reset') tearDown(response);
  else if (reply.after !== 'hang') response.end();
}

function tearDown(response: ServerResponse): void {
  tornDown.add(response);
  response.socket?.resetAndDestroy();
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '9000' },
      chunks: { type: 'string', default: '8' },
      write: { type: 'string', default: 'together' },
      'delay-ms': { type: 'string', default: '0' },
      model: { type: 'string', default: 'mock' },
    },
  });
  const mock = await startMockBackend({
    port: Number(values.port),
    record: false,
    listed: () => values.model,
    reply: cannedReply({
      chunks: Number(values.chunks),
      write: values.write === 'each' ? 'each' : 'together',
      delayMs: Number(values['delay-ms']),
    }),
  });
  process.stdout.write(`${mock.url}\n`);
}
