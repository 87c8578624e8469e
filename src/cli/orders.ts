/** `sluice order …`: what an operator may look up about one order. */
import { systemClock } from '#base/clock.ts';
import { findRequestLog } from '#storage/request-logs.ts';
import type { Books } from './books.ts';
import { CommandError, faint, type Result, timeText } from './output.ts';

/** `order request`: what the model was sent. Kept for accounts with log_payloads, as long as their results. */
export async function showRequest({ db }: Books, orderId: string, nowMs = systemClock.nowMs()): Promise<Result> {
  const log = await findRequestLog(db, orderId.toLowerCase(), nowMs);
  if (!log) {
    throw new CommandError(
      `No request of order ${JSON.stringify(orderId)} is kept: its account needs log_payloads, and retention that is not over.`,
    );
  }
  return {
    json: {
      order_id: log.orderId,
      account_id: log.accountId,
      expires_at: new Date(log.expiresAtMs).toISOString(),
      request: log.body,
    },
    text: `${JSON.stringify(log.body, null, 2)}\n${faint(`Kept until ${timeText(log.expiresAtMs)}.`)}`,
  };
}
