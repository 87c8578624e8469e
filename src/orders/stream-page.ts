/** Pages of a followed order as plain JSON, for a follower that is at another gateway. */
import { catalogue, Fault, type FaultCode } from '#base/fault.ts';
import { decodeResult, encodeResult } from '#results/result.ts';
import type { OrderEnd } from './order-port.ts';
import type { FollowedOrder, StreamPage } from './order-stream.ts';

/** A page in JSON. The answer is the text of a stored result. */
export interface SentPage {
  readonly entries: StreamPage['entries'];
  readonly end:
    | null
    | 'cut'
    | { readonly result: string }
    | {
        readonly status: Exclude<OrderEnd['status'], 'done'>;
        readonly fault: Pick<Fault, 'code' | 'message' | 'param'>;
      };
}

/** The page to send. */
export function sentPage(order: FollowedOrder, { entries, end }: StreamPage): SentPage {
  if (end === null || end === 'cut') return { entries, end };
  if (end.status === 'done') {
    const { orderId, kind, model, createdAtMs } = order;
    const { text } = encodeResult({ orderId, kind, model, createdAtMs, answer: end.answer }, 0);
    return { entries, end: { result: text } };
  }
  const { code, message, param } = end.fault;
  return { entries, end: { status: end.status, fault: { code, message, param } } };
}

/** The page that was sent. */
export function pageFrom({ entries, end }: SentPage): StreamPage {
  if (end === null || end === 'cut') return { entries, end };
  if ('result' in end) return { entries, end: { status: 'done', answer: decodeResult(end.result).answer } };
  const { code, message, param } = end.fault;
  const known: FaultCode = Object.hasOwn(catalogue, code) ? code : 'internal_error';
  return {
    entries,
    end: { status: end.status, fault: new Fault(known, { message, ...(param === null ? {} : { param }) }) },
  };
}
