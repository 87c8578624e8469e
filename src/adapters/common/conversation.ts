/**
 * One order for calls and outputs, the same in every shape: a call's output is right behind the message that made the
 * call, where chat templates look for it. Clients interrupt calls, cut histories short and put notes in between. Done when
 * the request comes in, so that what is measured, stored and sent is one conversation. docs/sell/pods.md.
 */
import { wellFormedJson } from '#base/exact-json.ts';
import type { GenerationRequest, JsonObject } from '#orders/request.ts';
import { measuredRequest } from '#orders/token-estimate.ts';
import { wholeArguments } from '#results/generation.ts';
import { isObject } from './fields.ts';

/** The output of a call that has none. */
export const NO_OUTPUT = 'There is no output of this call.';

/**
 * What a pod gets of a request, an OpenAI chat body whose `messages` is an array, and its measures; null for no cap.
 * Throws invalid_request when it is nested too deeply.
 */
export function modelInput(input: JsonObject, outputCap: number | null): GenerationRequest {
  const messages = Array.isArray(input.messages) ? paired(input.messages) : input.messages;
  return measuredRequest({ ...input, messages }, outputCap);
}

/**
 * The messages with each output behind its call, in the order of the calls; `NO_OUTPUT` for a call without one. The
 * messages in between follow. An output of no call becomes the user's text. A second call of one message with the same
 * id, or one without an id, gets an id of its own.
 */
function paired(messages: readonly JsonObject[]): readonly JsonObject[] {
  const turns = messages.map((message) => (message.role === 'assistant' ? callsOf(message) : []));
  if (!messages.some(({ role }, position) => role === 'tool' || turns[position]?.length)) return messages;
  const answered = new Answers(messages, turns);
  return messages.flatMap((message, position) => {
    const calls = turns[position] ?? [];
    if (calls.length > 0)
      return [{ ...message, tool_calls: calls.map(({ fields }) => fields) }, ...calls.map((call) => answered.of(call))];
    if (message.role !== 'tool') return [message];
    return answered.isUsed(message) ? [] : [outputAsUser(message)];
  });
}

interface Call {
  /** The id that the client gave it; undefined for none. */
  readonly sentId: unknown;
  readonly fields: JsonObject & { readonly id: string };
}

/** The calls of one message, each with an id of its own in it and with arguments that are well-formed. */
function callsOf({ tool_calls: sent }: JsonObject): Call[] {
  const ids = new Set<string>();
  return (Array.isArray(sent) ? sent : []).filter(isObject).map((fields, index) => {
    const sentId = fields.id || undefined;
    let id = typeof sentId === 'string' ? sentId : `call_${index}`;
    while (ids.has(id)) id = `${id}_${index}`;
    ids.add(id);
    return { sentId, fields: { ...fields, id, ...readableArguments(fields) } };
  });
}

/**
 * The function with arguments that engines can read: JSON in a text, in which half a character may be escaped once more.
 * Some clients send an object, or nothing for a function without parameters.
 */
function readableArguments({ function: called }: JsonObject): JsonObject {
  if (!isObject(called)) return {};
  const { arguments: sent } = called;
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent ?? {});
  return { function: { ...called, arguments: wellFormedJson(wholeArguments(text)) } };
}

/** Which output belongs to which call. */
class Answers {
  readonly #outputs = new Map<Call, JsonObject>();
  readonly #used = new Set<JsonObject>();
  /** The calls by their id, those of the newest message last, and of one message the first one last. */
  readonly #calls = new Map<unknown, Call[]>();
  /** The calls of the newest message by the name of their function, and all under `undefined`; the first one last. */
  #newest: ReadonlyMap<unknown, Call[]> = new Map();

  constructor(messages: readonly JsonObject[], turns: readonly (readonly Call[])[]) {
    // Outputs whose calls come later, if at all.
    const early: JsonObject[] = [];
    for (const [position, message] of messages.entries()) {
      const calls = turns[position] ?? [];
      if (calls.length > 0) this.#open(calls);
      else if (message.role === 'tool' && !this.#answer(message) && this.#isNew(message.tool_call_id))
        early.push(message);
    }
    for (const output of early) this.#answer(output);
  }

  of(call: Call): JsonObject {
    const { id } = call.fields;
    const output = this.#outputs.get(call);
    return output ? { ...output, tool_call_id: id } : { role: 'tool', tool_call_id: id, content: NO_OUTPUT };
  }

  isUsed(output: JsonObject): boolean {
    return this.#used.has(output);
  }

  #open(calls: readonly Call[]): void {
    const reversed = calls.toReversed();
    this.#newest = Map.groupBy(reversed, nameOf).set(undefined, [...reversed]);
    for (const call of reversed) {
      const known = this.#calls.get(call.sentId);
      if (known) known.push(call);
      else this.#calls.set(call.sentId, [call]);
    }
  }

  #isNew(id: unknown): boolean {
    return Boolean(id) && !this.#calls.has(id);
  }

  #answer(output: JsonObject): boolean {
    const call = this.#waitingFor(output);
    if (!call) return false;
    this.#outputs.set(call, output);
    this.#used.add(output);
    return true;
  }

  /** The newest call that waits for this output. Clients and engines may count ids from the start in each turn. */
  #waitingFor({ tool_call_id: id, name }: JsonObject): Call | undefined {
    const calls = (id ? this.#calls.get(id) : this.#newest.get(name || undefined)) ?? [];
    // A call that leaves its list has an output or gets this one, so each is looked at once per list.
    while (calls.length > 0) {
      const call = calls.pop();
      if (call && !this.#outputs.has(call)) return call;
    }
    return undefined;
  }
}

function nameOf({ fields }: Call): unknown {
  return isObject(fields.function) ? fields.function.name : undefined;
}

/** An output without a call as a message of the user, which names its tool where that is known: text, or parts. */
export function outputAsUser({ name, content }: { readonly name?: unknown; readonly content?: unknown }): JsonObject {
  const title = typeof name === 'string' && name !== '' ? `Output of the tool ${name}:` : 'Output of a tool:';
  if (Array.isArray(content)) return { role: 'user', content: [{ type: 'text', text: title }, ...content] };
  return { role: 'user', content: `${title}\n${content ?? ''}` };
}
