/**
 * The desk as batches see it. A line of a batch is an ordinary order with four differences: it is counted apart from
 * interactive orders while it waits, it ends with its batch, it runs only at the prices that the batch recorded, and its
 * row commits together with the line's, so that no crash loses or doubles a line. Spec 3, 4.8.
 */
import type { Submission, Ticket } from './order-port.ts';
import type { Customer, InferenceRequest } from './request.ts';

/** Which line of which batch an order is. */
export interface BatchLine {
  readonly batchId: string;
  /** Its place in the input file, from 1. */
  readonly line: number;
  readonly customId: string;
  /** The deadline of the batch: its lines wait until then, however often they return to the book. */
  readonly expiresAtMs: number;
  /** The tariff of each model when the batch was created, by model id. */
  readonly tariffIds: Readonly<Record<string, string>>;
}

/** Takes lines of batches, and looks after them until they end. */
export interface LinePort {
  /**
   * The same as `OrderPort.submit`, for a line. Throws also prices_changed; queue_full when the account has as many
   * lines queued as it may; and order_canceled, with nothing written, when the batch takes no lines any more or has an
   * order for this line already.
   */
  submit(customer: Customer, request: InferenceRequest, line: BatchLine): Promise<Submission>;
  /** The living order with this id, to be watched; null when it has ended. */
  ticket(orderId: string): Ticket | null;
  /** Cancels the lines of a batch that wait, and those that come to wait again. Lines that run finish. */
  cancelLines(batchId: string): void;
  /** How many more lines of the account may wait now. */
  roomForLines(accountId: string): number;
}
