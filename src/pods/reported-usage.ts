/**
 * Token counts as backends report them. A count of 0 is a count; a missing one is not. Figures that cannot be true are
 * refused here, so that nobody is charged by them.
 */
import type { ReportedUsage } from '#orders/generation.ts';

/** What bounds a believable usage, in tokens. */
export interface UsageBounds {
  readonly contextLength: number;
  readonly outputCap: number;
}

/**
 * Reads a `usage` object. 'unbelievable' when a count is missing or no whole number, or 0 ≤ cached ≤ prompt ≤ context or
 * output ≤ cap does not hold. A missing `cached_tokens` reads as 0: it is only sent by backends that were told to.
 */
export function readUsage(usage: unknown, bounds: UsageBounds): ReportedUsage | 'unbelievable' {
  const promptTokens = field(usage, 'prompt_tokens');
  const outputTokens = field(usage, 'completion_tokens');
  const cachedTokens = field(field(usage, 'prompt_tokens_details'), 'cached_tokens') ?? 0;
  if (!isCount(promptTokens) || !isCount(outputTokens) || !isCount(cachedTokens)) return 'unbelievable';
  if (cachedTokens > promptTokens || promptTokens > bounds.contextLength) return 'unbelievable';
  if (outputTokens > bounds.outputCap) return 'unbelievable';
  // SGLang reports reasoning beside the other counts, everybody else below them.
  const reasoning =
    field(field(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? field(usage, 'reasoning_tokens');
  const reasoningTokens = isCount(reasoning) && reasoning <= outputTokens ? reasoning : null;
  return { promptTokens, cachedTokens, outputTokens, reasoningTokens };
}

/** Whether it counts nothing at all, which some backends send before they know. */
export function isAllZero(usage: ReportedUsage): boolean {
  return usage.promptTokens === 0 && usage.outputTokens === 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
