/**
 * From an ended line to its entry in the output or error file: the answer in its shape, or the error. Everything comes
 * from what is stored, so an entry that a crash cut off is written again exactly as it was. Spec 2.6.
 */
import type { WireShape } from '#adapters/common/wire-shape.ts';
import { catalogue, isFaultCode } from '#base/fault.ts';
import type { OrderKind, OrderRow } from '#orders/order.ts';
import type { JsonObject } from '#orders/request.ts';
import type { Answer } from '#results/result.ts';
import type { EndedLine, LineFailure } from './batch.ts';
import { lineErrorCode, NOT_RUN, warned } from './line-request.ts';

/** The half of an adapter that writes responses. */
export type AnswerWriter = Pick<WireShape<never>, 'renderAnswer'>;

/** The entry of a line of `batchId`. `answer` is null when the order was not answered, or its answer is lost. */
export function fileLine(
  batchId: string,
  line: EndedLine,
  answer: Answer | null,
  shapes: Readonly<Record<OrderKind, AnswerWriter>>,
): { file: 'output' | 'errors'; text: string } {
  const id = `batch_req_${batchId.slice('batch_'.length)}_${line.line}`;
  const { customId } = line;
  if (line.order?.status === 'done' && answer) {
    const { id: orderId, kind, model, createdAtMs, promptEstimate } = line.order;
    const body = shapes[kind].renderAnswer({ orderId, model, createdAtMs, promptEstimate }, answer, null);
    const warning = line.warning == null ? {} : { warning: line.warning };
    const response = { status_code: 200, request_id: orderId, body, ...warning };
    return { file: 'output', text: text({ id, custom_id: customId, response, error: null }) };
  }
  const { code, message } = line.failure ?? warned(failureOfOrder(line.order), line.warning);
  return { file: 'errors', text: text({ id, custom_id: customId, response: null, error: { code, message } }) };
}

function text(entry: JsonObject): string {
  return `${JSON.stringify(entry)}\n`;
}

function failureOfOrder(order: OrderRow): Pick<LineFailure, 'code' | 'message'> {
  if (order.status === 'done') return LOST;
  const message = order.errorMessage ?? '';
  if (order.status === 'expired') return NOT_RUN.expired;
  if (order.status === 'canceled') return { code: NOT_RUN.canceled.code, message };
  const code = order.error ?? 'internal_error';
  return { code: lineErrorCode(code, isFaultCode(code) ? catalogue[code].status : 500), message };
}

const LOST = {
  code: 'result_unavailable',
  message: 'The order was answered and charged, and its answer is no longer stored.',
};
