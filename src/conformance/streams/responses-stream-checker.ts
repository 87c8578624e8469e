/**
 * Checks a Responses stream: the opening, items from added to done with all events between in order,
 * numbers without a gap, stable ids, signs of life with the whole output so far, and one terminal event that repeats
 * what was streamed. Tests check every such stream with it. It knows only the wire and imports nothing of the gateway.
 * Spec 6.3.
 */
import assert from 'node:assert/strict';
import { readSse, type SseListener } from './sse-reader.ts';

/** An output item as a client has it at the end. */
export type ResponseItem = Record<string, unknown> & { id: string; type: string; status: string };

interface Event extends Record<string, unknown> {
  type: string;
  sequence_number: number;
}

interface Response extends Record<string, unknown> {
  id: string;
  status: string;
  output: ResponseItem[];
}

/** What a client knows of an item so far. */
interface OpenItem {
  /** The item as it was added, with what has come since. */
  readonly item: ResponseItem;
  state: 'added' | 'writing' | 'written' | 'part done' | 'done';
  text: string;
}

/** The keys of each event besides type and sequence_number. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'response.created': ['response'],
  'response.in_progress': ['response'],
  'response.completed': ['response'],
  'response.incomplete': ['response'],
  'response.failed': ['response'],
  'response.output_item.added': ['item', 'output_index'],
  'response.output_item.done': ['item', 'output_index'],
  'response.content_part.added': ['content_index', 'item_id', 'output_index', 'part'],
  'response.content_part.done': ['content_index', 'item_id', 'output_index', 'part'],
  'response.output_text.delta': ['content_index', 'delta', 'item_id', 'logprobs', 'output_index'],
  'response.output_text.done': ['content_index', 'item_id', 'logprobs', 'output_index', 'text'],
  'response.reasoning_text.delta': ['content_index', 'delta', 'item_id', 'output_index'],
  'response.reasoning_text.done': ['content_index', 'item_id', 'output_index', 'text'],
  'response.function_call_arguments.delta': ['delta', 'item_id', 'output_index'],
  'response.function_call_arguments.done': ['arguments', 'item_id', 'name', 'output_index'],
  'response.custom_tool_call_input.delta': ['delta', 'item_id', 'output_index'],
  'response.custom_tool_call_input.done': ['input', 'item_id', 'output_index'],
};

/** The name that the events of an item give its text, and the type of its part; calls have no parts. */
const VOCABULARY: Readonly<Record<string, { readonly event: string; readonly part: string | null }>> = {
  message: { event: 'response.output_text', part: 'output_text' },
  reasoning: { event: 'response.reasoning_text', part: 'reasoning_text' },
  function_call: { event: 'response.function_call_arguments', part: null },
  custom_tool_call: { event: 'response.custom_tool_call_input', part: null },
};

/** Where an item of a call has its text. */
const CALL_TEXT: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' };

const TERMINAL = ['completed', 'incomplete', 'failed'];

/** Checks a whole stream. Throws an AssertionError at the first violation, also when the stream is incomplete. */
export function checkResponsesStream(body: string) {
  const checker = new ResponsesStreamChecker();
  readSse(body, checker);
  return checker.end();
}

class ResponsesStreamChecker implements SseListener {
  readonly #types: string[] = [];
  readonly #items: OpenItem[] = [];
  #comments = 0;
  #signsOfLife = 0;
  #first: Response | null = null;
  #last: Response | null = null;

  /** The content of a whole stream. */
  end() {
    const last = this.#last;
    assert.ok(last, 'the stream ends with a terminal event');
    return {
      id: last.id,
      comments: this.#comments,
      /** How often response.in_progress came after the opening. */
      signsOfLife: this.#signsOfLife,
      /** The types of all events, in order. */
      types: this.#types,
      status: last.status as 'completed' | 'incomplete' | 'failed',
      /** The items of the terminal event. */
      output: last.output,
      /** The counts and the receipt; null when the response failed. */
      usage: last.usage as Record<string, unknown> | null,
      error: last.error as { code: string; message: string } | null,
      /** The response of the terminal event. */
      response: last,
    };
  }

  comment(): void {
    assert.equal(this.#last, null, 'a comment comes after the end');
    this.#comments++;
  }

  frame(name: string | null, data: string): void {
    assert.equal(this.#last, null, 'a frame comes after the end');
    const event: Event = JSON.parse(data);
    const { type, sequence_number: number, ...fields } = event;
    assert.equal(name, type, 'the event line repeats the type');
    assert.equal(number, this.#types.length, 'the numbers have no gap');
    assert.deepEqual(Object.keys(fields).sort(), KEYS[type], `the keys of ${type}`);
    this.#opening(event);
    this.#types.push(type);
    if (fields.response) this.#lifecycle(type, fields.response as Response);
    else if (type === 'response.output_item.added') this.#added(event);
    else this.#itemEvent(event);
  }

  #opening({ type }: Event): void {
    const opening = ['response.created', 'response.in_progress'][this.#types.length];
    if (opening) assert.equal(type, opening, 'the opening is response.created, response.in_progress');
    else assert.notEqual(type, 'response.created', 'response.created comes once');
  }

  #lifecycle(type: string, response: Response): void {
    this.#first ??= response;
    const changing = ['status', 'output', 'usage', 'error', 'completed_at', 'incomplete_details'];
    for (const key of Object.keys({ ...this.#first, ...response }))
      if (!changing.includes(key))
        assert.deepEqual(response[key], this.#first[key], `${key} changes within the stream`);
    const status = type === 'response.created' ? 'in_progress' : type.slice('response.'.length);
    assert.equal(response.status, status, `the status in ${type}`);
    assert.equal('output_text' in response, false, 'output_text is computed by clients');
    if (TERMINAL.includes(status)) this.#terminal(response);
    else this.#signOfLife(response);
  }

  #signOfLife({ output, usage, error }: Response): void {
    if (this.#types.length > 2) this.#signsOfLife++;
    assert.deepEqual([usage, error], [null, null]);
    assert.deepEqual(output, this.#snapshot(), 'a sign of life holds the whole output so far');
  }

  #terminal(response: Response): void {
    const { status, output, usage, error, completed_at: completedAt, incomplete_details: details } = response;
    assert.deepEqual(output, this.#snapshot(), 'the terminal event repeats what was streamed');
    assert.equal(Number.isInteger(completedAt), status === 'completed');
    assert.equal(details !== null, status === 'incomplete');
    assert.equal(error !== null, status === 'failed');
    assert.equal(usage !== null, status !== 'failed', 'a response has usage unless it failed');
    if (status !== 'failed')
      assert.ok(
        this.#items.every(({ state }) => state === 'done'),
        'every item is done before the end',
      );
    this.#last = response;
  }

  #added(event: Event): void {
    const item = event.item as ResponseItem;
    assert.equal(event.output_index, this.#items.length, 'items are numbered from 0 without gaps');
    assert.equal(item.status, 'in_progress');
    assert.ok(item.type in VOCABULARY, `unknown item ${item.type}`);
    assert.ok(!this.#items.some((other) => other.item.id === item.id), 'two items share an id');
    const field = CALL_TEXT[item.type];
    if (field) {
      assert.ok(item.call_id && item.name, 'a call opens with its call_id and name');
      assert.equal(item[field], '');
      assert.ok(!this.#items.some((other) => other.item.call_id === item.call_id), 'two calls share a call_id');
    } else {
      assert.deepEqual(item.content, []);
    }
    const open = this.#items.find(({ state }) => state !== 'done');
    assert.equal(open, undefined, 'an item is done before the next opens');
    this.#items.push({ item, state: field ? 'writing' : 'added', text: '' });
  }

  #itemEvent(event: Event): void {
    const open = this.#items[event.output_index as number];
    assert.ok(open, 'an event of an item that was not added');
    assert.equal((event.item as ResponseItem | undefined)?.id ?? event.item_id, open.item.id, 'ids stay');
    assert.equal(event.content_index ?? 0, 0);
    const { event: prefix, part } = VOCABULARY[open.item.type] ?? { event: '', part: null };
    switch (event.type) {
      case 'response.content_part.added':
        this.#moves(open, 'added', 'writing');
        assert.deepEqual(event.part, emptyPart(part));
        open.item.content = [event.part];
        return;
      case `${prefix}.delta`:
        this.#moves(open, 'writing', 'writing');
        assert.notEqual(event.delta, '', 'a delta is empty');
        this.#write(open, event.delta as string);
        return;
      case `${prefix}.done`:
        this.#moves(open, 'writing', part === null ? 'part done' : 'written');
        assert.equal(event.text ?? event.arguments ?? event.input, open.text, 'what is done is the sum of the deltas');
        if (open.item.type === 'function_call') assert.equal(event.name, open.item.name);
        return;
      case 'response.content_part.done':
        this.#moves(open, 'written', 'part done');
        assert.deepEqual([event.part], open.item.content);
        return;
      case 'response.output_item.done':
        this.#moves(open, 'part done', 'done');
        open.item.status = (event.item as ResponseItem).status;
        assert.ok(['completed', 'incomplete'].includes(open.item.status), 'an item that is done has a final status');
        assert.deepEqual(event.item, open.item);
        return;
      default:
        assert.fail(`${event.type} does not belong to an item of type ${open.item.type}`);
    }
  }

  #moves(open: OpenItem, from: OpenItem['state'], to: OpenItem['state']): void {
    assert.equal(open.state, from, `${this.#types.at(-1)} comes out of order`);
    open.state = to;
  }

  #write(open: OpenItem, delta: string): void {
    open.text += delta;
    const field = CALL_TEXT[open.item.type];
    if (field) open.item[field] = open.text;
    else (open.item.content as { text: string }[])[0] = { ...partOf(open.item), text: open.text };
  }

  #snapshot(): ResponseItem[] {
    return this.#items.map(({ item }) => item);
  }
}

function emptyPart(type: string | null): object {
  return type === 'output_text' ? { type, text: '', annotations: [], logprobs: [] } : { type, text: '' };
}

function partOf(item: ResponseItem): { text: string } {
  const [part] = item.content as { text: string }[];
  assert.ok(part, 'a delta comes before its part');
  return part;
}
