/**
 * The chat body in the words that one engine reads: roles, earlier reasoning, ids of tool calls. What is the same for
 * every engine was done when the request came in (`adapters/common/conversation.ts`): here each output follows its call.
 */
import { createHash } from 'node:crypto';
import { numberedCallId } from '#orders/engine-words.ts';
import { CUSTOM_TOOLS, type JsonObject } from '#orders/request.ts';
import { type EngineProfile, type ReasoningName, reasoningNames } from './engine-profiles.ts';
import { type SystemPolicy, withSystemPolicy } from './system-policy.ts';

/**
 * The body for an engine with this profile, behind a pod with this policy. The body itself is not changed; it is what is
 * returned where nothing has to be.
 */
export function engineInput(body: JsonObject, policy: SystemPolicy, profile: EngineProfile): JsonObject {
  const arranged = withSystemPolicy(CUSTOM_TOOLS in body ? withoutCustomTools(body) : body, policy);
  const { messages } = arranged;
  if (!Array.isArray(messages) || !messages.some(isToChange)) return arranged;
  const nameOf = new CallNames(profile.callIds);
  const changed = messages.map((message: unknown) =>
    isMessage(message) ? nameOf.renamed(withReasoning(message, profile.reasoning)) : message,
  );
  return { ...arranged, messages: changed };
}

function withoutCustomTools({ [CUSTOM_TOOLS]: _, ...body }: JsonObject): JsonObject {
  return body;
}

/** Only what a model said, and what its calls brought, is in the words of an engine. */
function isToChange(message: unknown): boolean {
  return isMessage(message) && (message.role === 'assistant' || message.role === 'tool' || 'tool_calls' in message);
}

function isMessage(message: unknown): message is JsonObject {
  return typeof message === 'object' && message !== null;
}

/** An assistant message with its reasoning under each of these names and no other. */
function withReasoning(message: JsonObject, names: readonly ReasoningName[]): JsonObject {
  if (message.role !== 'assistant') return message;
  const { reasoning_content: older, reasoning: newer, ...others } = message;
  const said = { reasoning_content: older || newer, reasoning: newer || older };
  if (!said.reasoning || names.length === 0) return names.length === 0 ? others : message;
  const told = reasoningNames.filter((name) => names.includes(name)).map((name) => [name, said[name]]);
  return { ...others, ...Object.fromEntries(told) };
}

const NINE_LETTERS = /^[A-Za-z0-9]{9}$/;

/** The ids of the calls of one conversation, whose messages come in their order. */
class CallNames {
  readonly #form: EngineProfile['callIds'];
  /** What the ids of the newest message with calls became. */
  #names = new Map<unknown, string>();
  #count = 0;

  constructor(form: EngineProfile['callIds']) {
    this.#form = form;
  }

  renamed(message: JsonObject): JsonObject {
    if (this.#form === 'any') return message;
    const { tool_calls: calls, tool_call_id: id } = message;
    if (message.role === 'tool') return { ...message, tool_call_id: this.#names.get(id) ?? id };
    if (!Array.isArray(calls)) return message;
    this.#names = new Map();
    return { ...message, tool_calls: calls.map((call: JsonObject) => ({ ...call, id: this.#nameOf(call) })) };
  }

  #nameOf({ id, function: called }: JsonObject): string {
    const name =
      this.#form === 'numbered'
        ? numberedCallId((called as JsonObject | undefined)?.name, this.#count++)
        : nineLetters(String(id));
    this.#names.set(id, name);
    return name;
  }
}

/** The same letters for the same id, so that a longer conversation begins like a shorter one. */
function nineLetters(id: string): string {
  if (NINE_LETTERS.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
