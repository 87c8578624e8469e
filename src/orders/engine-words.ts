/**
 * The texts with which pods make a prompt longer than its caller sent it. They are here, because the hold and the estimate
 * count them before it is known which pod runs the order: a pod that reports no usage is paid by that. A text that a pod
 * adds and that is not here would be free. `pods/engine-input.ts`, `pods/system-policy.ts`.
 */

/** What is around a system message that becomes a user message, because it is not the first message. */
export const SYSTEM_TAGS = ['<system>\n', '\n</system>'] as const;

/** The id of a call that is counted through the conversation, from 0. */
export function numberedCallId(functionName: unknown, count: number): string {
  return `functions.${functionName}:${count}`;
}
