/**
 * Where system messages may be. Clients send several, even in the middle of a conversation; many chat templates reject
 * those with "System message must be at the beginning". Each pod has the policy that its template needs.
 */
import type { JsonObject } from '#orders/request.ts';

export const systemPolicies = ['as_is', 'merge_leading', 'first_only', 'merge_all'] as const;
/**
 * `as_is` changes nothing. `merge_leading` joins the system messages at the start into one. `first_only` also turns
 * every later one into a user message in `<system>` tags, in place: moving it to the front would lose the prefix cache.
 * `merge_all` puts such text at the beginning of the next user message instead, for templates that want turns to
 * alternate; without a next one, it is a user message at the end, or part of the one there.
 */
export type SystemPolicy = (typeof systemPolicies)[number];

/** The body with its messages changed as `policy` requires; the same object when nothing changes. */
export function withSystemPolicy(body: JsonObject, policy: SystemPolicy): JsonObject {
  const { messages } = body;
  if (policy === 'as_is' || !Array.isArray(messages)) return body;
  const merged = mergeLeading(messages);
  const arranged = arrangeLater[policy](merged);
  return arranged === messages ? body : { ...body, messages: arranged };
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
  merge_all: (messages) => (hasLater(messages) ? withLaterInTurns(messages.map(wrapped), messages) : messages),
};

function hasLater(messages: readonly unknown[]): boolean {
  return messages.some((message, position) => position > 0 && systemText(message) !== null);
}

function wrapped(message: unknown, position: number): unknown {
  const text = position === 0 ? null : systemText(message);
  return text === null ? message : { role: 'user', content: `<system>\n${text}\n</system>` };
}

/** Joins each message of `marked` that was another in `messages` to the user message that follows. */
function withLaterInTurns(marked: readonly unknown[], messages: readonly unknown[]): readonly unknown[] {
  const turns: unknown[] = [];
  let waiting: string[] = [];
  for (const [position, message] of marked.entries()) {
    const { role, content } = Object(message) as Record<string, unknown>;
    if (message !== messages[position]) waiting.push(String(content));
    else if (role !== 'user' || waiting.length === 0) turns.push(message);
    else {
      turns.push({ ...Object(message), content: joined([waiting.join('\n\n'), content]) });
      waiting = [];
    }
  }
  if (waiting.length === 0) return turns;
  const text = waiting.join('\n\n');
  const last = Object(turns.at(-1)) as Record<string, unknown>;
  if (last.role !== 'user') return [...turns, { role: 'user', content: text }];
  return [...turns.slice(0, -1), { ...last, content: joined([last.content, text]) }];
}

/** Text where both are text, otherwise a list of parts. */
function joined(contents: readonly unknown[]): unknown {
  const present = contents.filter((content) => content !== null && content !== undefined);
  if (present.every((content) => typeof content === 'string')) return present.join('\n\n');
  return present.flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
}

/** The text of a system or developer message; null for any other message and for one with non-text parts. */
function systemText(message: unknown): string | null {
  if (typeof message !== 'object' || message === null) return null;
  const { role, content } = message as Record<string, unknown>;
  if (role !== 'system' && role !== 'developer') return null;
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) => (typeof part === 'string' ? part : partText(part)));
  return texts.includes(null) ? null : texts.join('');
}

function partText(part: unknown): string | null {
  const text = (part as Record<string, unknown> | null)?.text;
  return typeof text === 'string' ? text : null;
}
