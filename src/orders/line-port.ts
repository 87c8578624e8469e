/**
 * The order service as batches see it. A batch line is an ordinary order with four differences: while queued it counts
 * against a limit of its own, it ends with its batch, it runs only at the prices that the batch recorded, and its row
 * commits together with the line's, so that no crash loses or doubles a line. Spec 3, 4.8.
 */
import type { Submission, Ticket } from './order-port.ts';
import type { Customer, InferenceRequest } from './request.ts';

/** Which line of which batch an order is for. */
export interface BatchLine {
  readonly batchId: string;
  /** The line's number in the input file, from 1. */
  readonly line: number;
  readonly customId: string;
  /** When the batch expires: its lines wait until then, however often they are requeued. */
  readonly expiresAtMs: number;
  /** When the line is to have started, with a bid that the market chooses; null or absent where it bids its limit. */
  readonly deadlineMs?: number | null;
  /** The tariff of each model when the batch was created, by model id. */
  readonly tariffIds: Readonly<Record<string, string>>;
}

/** Why a batch's lines are canceled, as stored in the rows of their orders. */
export type LineCancelReason = 'order_canceled' | 'account_suspended';

/** The message of a line that was canceled before it ran, whether it was an order or not. */
export const LINE_CANCELED: Readonly<Record<LineCancelReason, string>> = {
  order_canceled: 'The batch was canceled before this line ran.',
  account_suspended: 'The batch was canceled before this line ran, because its account was suspended.',
};

/** Takes batch lines, and manages them until they end. */
export interface LinePort {
  /**
   * The same as `OrderPort.submit`, for a line. Also throws prices_changed; queue_full when the account has as many
   * queued lines as it may; and order_canceled, with nothing written, when the batch takes no more lines or already has
   * an order for this line.
   */
  submit(customer: Customer, request: InferenceRequest, line: BatchLine): Promise<Submission>;
  /** The ticket of a live order, to watch it; null when the order has ended. */
  ticket(orderId: string): Ticket | null;
  /** Cancels the batch's queued lines, and those requeued later. Running lines finish. */
  cancelLines(batchId: string, reason: LineCancelReason): void;
  /** How many more lines the account may queue now. */
  roomForLines(accountId: string): number;
}
