/**
 * `usage` of chat and text completions. Prompt tokens include the cached ones here; the internal counts are separate,
 * so nothing is counted twice. A count of 0 is a count.
 */
import { wireReceipt } from '#ledger/receipt.ts';
import type { Answer } from '#results/result.ts';

/** The usage object with the receipt; with reasoning tokens only when the pod counted them. Spec 2.9. */
export function openaiUsage(answer: Answer) {
  const { uncached, cached, output } = answer.receipt.tokens;
  return {
    prompt_tokens: uncached + cached,
    completion_tokens: output,
    total_tokens: uncached + cached + output,
    prompt_tokens_details: { cached_tokens: cached },
    ...(answer.reasoningTokens === null
      ? {}
      : { completion_tokens_details: { reasoning_tokens: answer.reasoningTokens } }),
    x_market: wireReceipt(answer.receipt),
  };
}
