/**
 * Where system messages may be. Clients send several, even in the middle of a conversation; many chat templates reject
 * those with "System message must be at the beginning". Each pod has the policy that its template needs. Few templates
 * know the role `developer`, so every policy but `as_is` makes it `system`.
 */
import { SYSTEM_TAGS } from '#orders/engine-words.ts';
import type { JsonObject } from '#orders/request.ts';

export const systemPolicies = ['as_is', 'merge_leading', 'first_only', 'merge_all'] as const;
/**
 * `as_is` changes nothing. `merge_leading` joins the system messages at the start into one. `first_only` also turns
 * every later one into a user message in `<system>` tags, in place: moving it to the front would lose the prefix cache.
 * `merge_all` makes it part of the user message before it, otherwise of the next one, otherwise the end, and makes one of
 * user messages in a row, for templates that want turns to alternate.
 */
export type SystemPolicy = (typeof systemPolicies)[number];

/** The body with its messages changed as `policy` requires; the same object when nothing changes. */
export function withSystemPolicy(body: JsonObject, policy: SystemPolicy): JsonObject {
  const { messages } = body;
  if (policy === 'as_is' || !Array.isArray(messages)) return body;
  const merged = mergeLeading(messages.some(isDeveloper) ? messages.map(asSystem) : messages);
  const arranged = arrangeLater[policy](merged);
  return arranged === messages ? body : { ...body, messages: arranged };
}

function isDeveloper(message: unknown): boolean {
  return (message as Record<string, unknown> | null | undefined)?.role === 'developer';
}

function asSystem(message: unknown): unknown {
  return isDeveloper(message) ? { ...Object(message), role: 'system' } : message;
}

function mergeLeading(messages: readonly unknown[]): readonly unknown[] {
  const texts: string[] = [];
  for (const message of messages) {
    const text = systemText(message);
    if (text === null) break;
    texts.push(text);
  }
  if (texts.length < 2) return messages;
  return [{ role: 'system', content: texts.join('\n\n') }, ...messages.slice(texts.length)];
}

const arrangeLater: Readonly<Record<SystemPolicy, (messages: readonly unknown[]) => readonly unknown[]>> = {
  as_is: (messages) => messages,
  merge_leading: (messages) => messages,
  first_only: (messages) => (hasLater(messages) ? messages.map(wrapped) : messages),
  merge_all: (messages) => withJoinedUsers(hasLater(messages) ? besideUsers(messages) : messages),
};

function hasLater(messages: readonly unknown[]): boolean {
  return messages.some((message, position) => position > 0 && systemText(message) !== null);
}

function wrapped(message: unknown, position: number): unknown {
  const text = position === 0 ? null : systemText(message);
  return text === null ? message : { role: 'user', content: SYSTEM_TAGS.join(text) };
}

/** Each later system message becomes a user message after the one before it, or before the next one, or at the end. */
function besideUsers(messages: readonly unknown[]): readonly unknown[] {
  const turns: unknown[] = [];
  const waiting: unknown[] = [];
  for (const [position, message] of messages.entries()) {
    const marked = wrapped(message, position);
    if (marked !== message && !isUser(turns.at(-1))) waiting.push(marked);
    else {
      // Not passed as arguments: a body may have more messages than a call may have arguments.
      if (isUser(marked)) for (const earlier of waiting.splice(0)) turns.push(earlier);
      turns.push(marked);
    }
  }
  return [...turns, ...waiting];
}

/** User messages in a row become one. Returns the same list if no two are in a row. */
function withJoinedUsers(messages: readonly unknown[]): readonly unknown[] {
  const runs: unknown[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (isUser(message) && isUser(run?.[0])) run?.push(message);
    else runs.push([message]);
  }
  return runs.length === messages.length ? messages : runs.map(oneMessage);
}

function oneMessage(run: readonly unknown[]): unknown {
  const contents = run.map((message) => (isUser(message) ? message.content : null));
  return run.length === 1 ? run[0] : { ...Object(run[0]), content: joined(contents) };
}

function isUser(message: unknown): message is Readonly<Record<string, unknown>> {
  return (message as Record<string, unknown> | null | undefined)?.role === 'user';
}

/** Text where both are text, otherwise a list of parts. */
function joined(contents: readonly unknown[]): unknown {
  const present = contents.filter((content) => content !== null && content !== undefined);
  if (present.every((content) => typeof content === 'string')) return present.join('\n\n');
  return present.flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
}

/** The text of a system message; null for any other message and for one with non-text parts. */
function systemText(message: unknown): string | null {
  if (typeof message !== 'object' || message === null) return null;
  const { role, content } = message as Record<string, unknown>;
  if (role !== 'system') return null;
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (typeof part === 'string' ? part : part?.text));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}
