/**
 * Checks a Messages stream: message_start, blocks one after another, message_delta, message_stop; pings
 * anywhere between; or an error event and nothing after it. Tests check every such stream with it. It knows only the
 * wire and imports nothing of the gateway. Spec 6.4.
 */
import assert from 'node:assert/strict';
import { readSse, type SseListener } from './sse-reader.ts';

/** A content block, assembled as a client would. `input` is null when the output cap cut its JSON short. */
export type MessageBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object | null };

/** Also allowed in streams of models that are made to misbehave. */
interface MessagesCheckerOptions {
  /** The model writes arguments that are not JSON. */
  readonly brokenInputs?: boolean;
}

interface Frame extends Record<string, unknown> {
  type: string;
}

interface OpenBlock {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  text: string;
  signature: string | null;
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
const STOP_REASONS = ['end_turn', 'max_tokens', 'tool_use', 'stop_sequence'];
/** The type of block that each delta belongs to, and the field that it fills. */
const DELTAS: Readonly<Record<string, { readonly block: string; readonly field: string }>> = {
  text_delta: { block: 'text', field: 'text' },
  thinking_delta: { block: 'thinking', field: 'thinking' },
  signature_delta: { block: 'thinking', field: 'signature' },
  input_json_delta: { block: 'tool_use', field: 'partial_json' },
};

/** Checks a whole stream. Throws an AssertionError at the first violation, also when the stream is incomplete. */
export function checkMessagesStream(body: string, options: MessagesCheckerOptions = {}) {
  const checker = new MessagesStreamChecker(options);
  readSse(body, checker);
  return checker.end();
}

class MessagesStreamChecker implements SseListener {
  readonly #options: MessagesCheckerOptions;
  #state: 'waiting' | 'content' | 'accounted' | 'over' = 'waiting';
  #start: Record<string, unknown> | null = null;
  #pings = 0;
  #open: OpenBlock | null = null;
  readonly #closed: OpenBlock[] = [];
  #stop: { stop_reason: string; stop_sequence: string | null } | null = null;
  #usage: Record<string, unknown> | null = null;
  #failure: Frame | null = null;

  constructor(options: MessagesCheckerOptions) {
    this.#options = options;
  }

  /** The content of a whole stream. */
  end() {
    assert.equal(this.#state, 'over', 'the stream ends with message_stop or an error');
    return {
      id: (this.#start?.id as string | undefined) ?? null,
      model: (this.#start?.model as string | undefined) ?? null,
      pings: this.#pings,
      content: this.#closed.map((block) => this.#content(block)),
      stopReason: this.#stop?.stop_reason ?? null,
      stopSequence: this.#stop?.stop_sequence ?? null,
      /** The placeholder of message_start; null when the stream failed before it. */
      startUsage: (this.#start?.usage as Record<string, number> | undefined) ?? null,
      /** The counts and the receipt of message_delta; null when the stream failed. */
      usage: this.#usage,
      /** The error that ended the stream; null when it ended with message_stop. */
      error: (this.#failure?.error as { type: string; message: string; code: string } | undefined) ?? null,
      /** The request that the error event names; null when there is no error. */
      requestId: (this.#failure?.request_id as string | undefined) ?? null,
    };
  }

  comment(): void {
    assert.fail('a stream of messages has a comment');
  }

  frame(event: string | null, data: string): void {
    const frame: Frame = JSON.parse(data);
    assert.equal(frame.type, event, 'the event line and the type differ');
    assert.notEqual(this.#state, 'over', 'a frame comes after the end');
    const take = this.#taking[frame.type];
    assert.ok(take, `unknown event ${frame.type}`);
    take(frame);
  }

  /** By event. */
  readonly #taking: Readonly<Record<string, (frame: Frame) => void>> = {
    message_start: (frame) => this.#started(frame),
    content_block_start: (frame) => this.#blockStarted(frame),
    content_block_delta: (frame) => this.#extended(frame),
    content_block_stop: (frame) => this.#blockStopped(frame),
    message_delta: (frame) => this.#accounted(frame),
    error: (frame) => this.#failed(frame),
    ping: () => {
      assert.notEqual(this.#state, 'waiting', 'a ping comes before message_start');
      this.#pings++;
    },
    message_stop: () => {
      assert.equal(this.#state, 'accounted', 'message_stop comes before message_delta');
      this.#state = 'over';
    },
  };

  #started({ message }: Frame): void {
    assert.equal(this.#state, 'waiting', 'message_start comes once');
    const start = message as Record<string, unknown>;
    assert.deepEqual([start.type, start.role, start.content], ['message', 'assistant', []]);
    assert.deepEqual([start.stop_reason, start.stop_sequence], [null, null]);
    checkCounts(start.usage);
    this.#start = start;
    this.#state = 'content';
  }

  #blockStarted({ index, content_block }: Frame): void {
    assert.equal(this.#state, 'content', 'a block is opened before message_start or after message_delta');
    assert.equal(this.#open, null, 'a block is opened while another is open');
    assert.equal(index, this.#closed.length, 'blocks are numbered from 0 without gaps');
    const block = content_block as Record<string, unknown>;
    const { id = '', name = '' } = block as { id?: string; name?: string };
    if (block.type === 'tool_use') {
      assert.ok(id && name, 'a call opens with its id and name');
      assert.ok(!this.#closed.some((other) => other.id === id), 'two calls share an id');
      assert.deepEqual(block, { type: 'tool_use', id, name, input: {} });
    } else if (block.type === 'thinking') assert.deepEqual(block, { type: 'thinking', thinking: '', signature: '' });
    else assert.deepEqual(block, { type: 'text', text: '' });
    this.#open = { type: String(block.type), id, name, text: '', signature: null };
  }

  #extended({ index, delta }: Frame): void {
    const open = this.#opened(index);
    const { type, ...fields } = delta as { type: string };
    const expected = DELTAS[type];
    assert.equal(expected?.block, open.type, `a ${type} comes in a block of type ${open.type}`);
    const text = (fields as Record<string, unknown>)[expected?.field ?? ''];
    assert.ok(typeof text === 'string' && Object.keys(fields).length === 1, `a ${type} has the wrong fields`);
    assert.equal(open.signature, null, 'a block goes on after its signature');
    if (type === 'signature_delta') {
      assert.notEqual(text, '', 'a signature is empty');
      open.signature = text;
    } else open.text += text;
  }

  #blockStopped({ index }: Frame): void {
    const open = this.#opened(index);
    if (open.type === 'thinking') assert.notEqual(open.signature, null, 'a thinking block has no signature');
    this.#closed.push(open);
    this.#open = null;
  }

  #opened(index: unknown): OpenBlock {
    assert.ok(this.#open, 'no block is open');
    assert.equal(index, this.#closed.length, 'a frame names a block that is not the open one');
    return this.#open;
  }

  #accounted({ delta, usage }: Frame): void {
    assert.equal(this.#state, 'content', 'message_delta comes once, after message_start');
    assert.equal(this.#open, null, 'message_delta comes while a block is open');
    const stop = delta as { stop_reason: string; stop_sequence: string | null };
    assert.ok(STOP_REASONS.includes(stop.stop_reason), `unknown stop_reason ${stop.stop_reason}`);
    assert.equal(
      stop.stop_reason === 'stop_sequence',
      stop.stop_sequence !== null,
      'a stop_sequence comes without its stop_reason',
    );
    checkCounts(usage);
    assert.ok('x_market' in (usage as object), 'message_delta has no receipt');
    this.#stop = stop;
    this.#usage = usage as Record<string, unknown>;
    for (const block of this.#closed) this.#content(block);
    this.#state = 'accounted';
  }

  #failed(frame: Frame): void {
    assert.equal(this.#state, 'content', 'an error comes before message_start or after message_delta');
    assert.deepEqual(Object.keys(frame).sort(), ['error', 'request_id', 'type']);
    assert.deepEqual(Object.keys(frame.error as object).sort(), ['code', 'message', 'type']);
    this.#failure = frame;
    this.#state = 'over';
  }

  #content({ type, text, signature, id, name }: OpenBlock): MessageBlock {
    if (type === 'text') return { type, text };
    if (type === 'thinking') return { type, thinking: text, signature: signature ?? '' };
    return { type: 'tool_use', id, name, input: this.#input(text) };
  }

  /** A failed stream may end within an input, and the output cap may have cut the last one. */
  #input(json: string): object | null {
    try {
      const input: unknown = JSON.parse(json);
      assert.ok(typeof input === 'object' && input !== null && !Array.isArray(input), 'an input is not an object');
      return input;
    } catch (error) {
      if (this.#options.brokenInputs || this.#failure || this.#stop?.stop_reason === 'max_tokens') return null;
      throw new assert.AssertionError({ message: `an input is not a JSON object: ${json} (${error})` });
    }
  }
}

function checkCounts(usage: unknown): void {
  const counts = usage as Record<string, unknown>;
  for (const name of COUNTS) assert.ok(Number.isInteger(counts?.[name]), `${name} is not a whole number`);
}
