/**
 * Token counts as reported by backends. A count of 0 is a count; a missing one is not. Implausible counts are rejected
 * here, so that nobody is charged by them; `ledger/usage.ts` decides what is charged then, or without a report.
 */
import type { ReportedUsage } from '#results/generation.ts';

/** The bounds of a plausible usage, in tokens. */
export interface UsageBounds {
  readonly contextLength: number;
  readonly outputCap: number;
}

/**
 * Reads a `usage` object. 'implausible' when a count is missing or not a whole number, or unless 0 ≤ cached ≤ prompt ≤
 * context and output ≤ cap. A missing `cached_tokens` reads as 0: backends send it only if configured to.
 */
export function readUsage(usage: unknown, bounds: UsageBounds): ReportedUsage | 'implausible' {
  const promptTokens = field(usage, 'prompt_tokens');
  const outputTokens = field(usage, 'completion_tokens');
  const cachedTokens = field(field(usage, 'prompt_tokens_details'), 'cached_tokens') ?? 0;
  if (!isCount(promptTokens) || !isCount(outputTokens) || !isCount(cachedTokens)) return 'implausible';
  if (cachedTokens > promptTokens || promptTokens > bounds.contextLength) return 'implausible';
  if (outputTokens > bounds.outputCap) return 'implausible';
  // SGLang reports reasoning next to the other counts, all others one level below.
  const reasoning =
    field(field(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? field(usage, 'reasoning_tokens');
  const reasoningTokens = isCount(reasoning) && reasoning <= outputTokens ? reasoning : null;
  return { promptTokens, cachedTokens, outputTokens, reasoningTokens };
}

/** Whether all counts are zero. Some backends send that before they know the counts. */
export function isAllZero(usage: ReportedUsage): boolean {
  return usage.promptTokens === 0 && usage.outputTokens === 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
