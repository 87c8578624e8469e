/**
 * Where system messages may stand. Clients send several, also in the middle of a conversation; many chat templates
 * answer those with "System message must be at the beginning". Each pod names the policy that its template needs.
 */
import type { JsonObject } from '#orders/request.ts';

export const systemPolicies = ['as_is', 'merge_leading', 'first_only'] as const;
/**
 * `as_is` changes nothing. `merge_leading` joins the system messages at the start into one. `first_only` does that too
 * and turns every later one into a user message between `<system>` marks, at its own place: moving it to the front
 * would cost the prefix cache.
 */
export type SystemPolicy = (typeof systemPolicies)[number];

/** The body with its messages as `policy` wants them; the same object when there is nothing to change. */
export function withSystemPolicy(body: JsonObject, policy: SystemPolicy): JsonObject {
  const { messages } = body;
  if (policy === 'as_is' || !Array.isArray(messages)) return body;
  const merged = mergeLeading(messages);
  const arranged = policy === 'first_only' ? wrapLater(merged) : merged;
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

function wrapLater(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some((message, place) => place > 0 && systemText(message) !== null)) return messages;
  return messages.map((message, place) => {
    const text = place === 0 ? null : systemText(message);
    return text === null ? message : { role: 'user', content: `<system>\n${text}\n</system>` };
  });
}

/** The text of a system or developer message; null for any other message, or one that holds more than text. */
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
