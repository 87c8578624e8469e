/** `sluice order …`: what an operator can look up about one order. */
import { systemClock } from '#base/clock.ts';
import { findRequestLog } from '#storage/orders/request-logs.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, faint, timeText } from './output.ts';

/** `order request`: what was sent to the model. Kept for accounts with log_payloads, for as long as their results. */
export async function showRequest(
  { db }: OperatorStore,
  orderId: string,
  nowMs = systemClock.nowMs(),
): Promise<CommandResult> {
  const log = await findRequestLog(db, orderId.toLowerCase(), nowMs);
  if (!log) {
    throw new CommandError(
      `No request of order ${JSON.stringify(orderId)} is kept: its account needs log_payloads, and its retention must not be over.`,
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
