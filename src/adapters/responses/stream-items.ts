/**
 * One output item while it is written, from output_item.added to output_item.done. Fragments are stored and joined only
 * when they are read, so a long answer is not copied again and again. Spec 6.3.
 */
import type { JsonObject } from '#orders/request.ts';
import { type GenerationEvent, opened, wholeArguments } from '#results/generation.ts';
import type { EventWriter } from './event-writer.ts';
import {
  callItem,
  callStatus,
  type ItemEnd,
  type ItemStatus,
  spokenItem,
  spokenPart,
  spokenStatus,
} from './output-items.ts';
import { customInput } from './tools.ts';

interface Place {
  readonly id: string;
  readonly outputIndex: number;
}

/** The names of the events of text and reasoning, and a key that clients require in them. */
const VOCABULARY = {
  text: { event: 'response.output_text', more: { logprobs: [] } },
  reasoning: { event: 'response.reasoning_text', more: {} },
};

/** A message or a reasoning item: one content part that grows. Every method except `snapshot` returns frames. */
export class SpokenItem {
  readonly type: 'text' | 'reasoning';
  readonly #writer: EventWriter;
  readonly #place: Place;
  readonly #where: JsonObject;
  readonly #deltaEvent: string;
  /** A delta is head + fragment + tail. */
  readonly #deltaHead: string;
  readonly #deltaTail: string;
  readonly #fragments: string[] = [];
  #status: ItemStatus = 'in_progress';

  constructor(writer: EventWriter, { type, ...place }: Place & { type: 'text' | 'reasoning' }) {
    const { event, more } = VOCABULARY[type];
    this.type = type;
    this.#writer = writer;
    this.#place = place;
    this.#where = { item_id: place.id, output_index: place.outputIndex, content_index: 0 };
    this.#deltaEvent = `${event}.delta`;
    this.#deltaHead = `${bare(this.#where)},"delta":`;
    this.#deltaTail = type === 'text' ? `,${bare(more)}` : '';
  }

  open(): string {
    const item = { ...this.snapshot(), content: [] };
    const part = spokenPart[this.type]('');
    return (
      this.#writer.event('response.output_item.added', { output_index: this.#place.outputIndex, item }) +
      this.#writer.event('response.content_part.added', { ...this.#where, part })
    );
  }

  delta(fragment: string): string {
    this.#fragments.push(fragment);
    return this.#writer.prebuilt(this.#deltaEvent, this.#deltaHead + JSON.stringify(fragment) + this.#deltaTail);
  }

  close(end: ItemEnd): string {
    this.#status = spokenStatus(end);
    const text = this.#text;
    const { event, more } = VOCABULARY[this.type];
    return (
      this.#writer.event(`${event}.done`, { ...this.#where, text, ...more }) +
      this.#writer.event('response.content_part.done', { ...this.#where, part: spokenPart[this.type](text) }) +
      this.#writer.event('response.output_item.done', { output_index: this.#place.outputIndex, item: this.snapshot() })
    );
  }

  snapshot(): JsonObject {
    return spokenItem[this.type](this.#place.id, this.#text, this.#status);
  }

  get #text(): string {
    return this.#fragments.join('');
  }
}

type OpenedCall = Extract<GenerationEvent, { readonly type: 'tool-call' }>;

/**
 * A call, whose arguments grow. The input of a custom tool is a text within them, and comes whole at the end. Every method
 * except `snapshot` returns frames.
 */
export class CallItem {
  readonly type = 'call';
  readonly #writer: EventWriter;
  readonly #place: Place;
  readonly #call: OpenedCall;
  readonly #deltaHead: string;
  readonly #fragments: string[] = [];
  #status: ItemStatus = 'in_progress';

  constructor(writer: EventWriter, { call, ...place }: Place & { call: OpenedCall }) {
    this.#writer = writer;
    this.#place = place;
    this.#call = call;
    this.#deltaHead = `${bare({ item_id: place.id, output_index: place.outputIndex })},"delta":`;
  }

  open(): string {
    const { outputIndex } = this.#place;
    return this.#writer.event('response.output_item.added', { output_index: outputIndex, item: this.snapshot() });
  }

  delta(fragment: string): string {
    this.#fragments.push(fragment);
    return this.#call.custom ? '' : this.#deltaFrame('response.function_call_arguments', fragment);
  }

  close(end: ItemEnd): string {
    const text = wholeArguments(this.#arguments);
    this.#status = callStatus(text, end);
    const written = this.#call.custom ? this.#inputFrames(customInput(text)) : this.#argumentFrames(text);
    const { outputIndex } = this.#place;
    return (
      written + this.#writer.event('response.output_item.done', { output_index: outputIndex, item: this.snapshot() })
    );
  }

  snapshot(): JsonObject {
    return callItem(this.#place.id, { ...opened(this.#call), arguments: this.#arguments }, this.#status);
  }

  #argumentFrames(text: string): string {
    const filling = this.#arguments === '' ? this.delta(text) : '';
    const { id, outputIndex } = this.#place;
    const done = { item_id: id, output_index: outputIndex, name: this.#call.name, arguments: text };
    return filling + this.#writer.event('response.function_call_arguments.done', done);
  }

  #inputFrames(input: string): string {
    const event = 'response.custom_tool_call_input';
    const { id, outputIndex } = this.#place;
    const delta = input === '' ? '' : this.#deltaFrame(event, input);
    return delta + this.#writer.event(`${event}.done`, { item_id: id, output_index: outputIndex, input });
  }

  #deltaFrame(event: string, fragment: string): string {
    return this.#writer.prebuilt(`${event}.delta`, this.#deltaHead + JSON.stringify(fragment));
  }

  get #arguments(): string {
    return this.#fragments.join('');
  }
}

/** JSON without its braces. */
function bare(fields: JsonObject): string {
  return JSON.stringify(fields).slice(1, -1);
}
