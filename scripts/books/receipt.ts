/** The receipt in an answer, as a client keeps it. */

/** What a client paid, by its receipt. */
export interface KnownReceipt {
  readonly orderId: string;
  readonly chargedUsd: number;
}

/** The receipt in the `usage` of a body of any shape; null without one. */
export function receiptIn(body: unknown): KnownReceipt | null {
  const { usage } = (body ?? {}) as { usage?: { x_market?: { order_id: string; charged_usd: number } } | null };
  return usage?.x_market ? { orderId: usage.x_market.order_id, chargedUsd: usage.x_market.charged_usd } : null;
}

/** The receipt in the text of a stream of chat or text completions; null when it was cut off before. */
export function receiptInStream(text: string): KnownReceipt | null {
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const receipt = receiptIn(JSON.parse(line.slice('data: '.length)));
    if (receipt) return receipt;
  }
  return null;
}
