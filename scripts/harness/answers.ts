/** Reads answers to inference as a client does, and decides what they tell about a charge. */
import { checkChatStream, checkCompletionStream } from '#conformance/streams/chat-stream-checker.ts';
import { checkMessagesStream } from '#conformance/streams/messages-stream-checker.ts';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import type { KnownReceipt, Told } from './ledger.ts';
import type { OrderRequest, Shape } from './requests.ts';

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly orderId: string | null;
  readonly text: string;
  readonly isStream: boolean;
}

/** What is in an answer. */
export interface Content {
  readonly receipt: KnownReceipt | null;
  /** The code of the error, in the body or in the stream; null when there is none. */
  readonly code: string | null;
  readonly message: string;
  /** The id in the body of a 202. */
  readonly id: string | null;
}

interface ReadStream {
  readonly usage: Record<string, unknown> | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const CHECKERS: Readonly<Record<Shape, (text: string) => ReadStream>> = {
  chat: checkChatStream,
  completion: checkCompletionStream,
  responses: checkResponsesStream,
  messages: (text) => checkMessagesStream(text, { brokenInputs: true }),
};
/** Errors that say nothing about whether the order of the key was charged. */
const SILENT = new Set(['result_pending', 'idempotency_error', 'result_unavailable']);

/** The receipt in the `usage` of a body of any shape; null without one. */
export function receiptIn(body: unknown): KnownReceipt | null {
  const { usage } = (body ?? {}) as { usage?: { x_market?: { order_id: string; charged_usd: number } } | null };
  return usage?.x_market ? { orderId: usage.x_market.order_id, chargedUsd: usage.x_market.charged_usd } : null;
}

/** Reads an answer. Throws when it is malformed: a stream that breaks its protocol or its end, a body that is no JSON. */
export function contentOf(shape: Shape, { status, text, isStream }: WholeAnswer): Content {
  if (isStream) {
    const { usage, error } = CHECKERS[shape](text);
    return { receipt: receiptIn({ usage }), code: error?.code ?? null, message: error?.message ?? '', id: null };
  }
  const json = JSON.parse(text);
  const id = status === 202 ? String(json.id) : null;
  const failed = status >= 400 ? json.error : null;
  return { receipt: receiptIn(json), code: failed?.code ?? null, message: failed?.message ?? '', id };
}

/** What an answer says about the charge of its order. A key is repeated until its answer is final: no doubt counts. */
export function meaningOf(
  { detached, body }: OrderRequest,
  { status }: WholeAnswer,
  { receipt, code, message }: Content,
  isKeyed: boolean,
): Told['meaning'] {
  if (receipt) return 'charged';
  if (status === 202) return 'accepted';
  if (code !== null && SILENT.has(code)) return 'nothing';
  const unknown = isKeyed ? 'nothing' : 'unknown';
  if (code === 'settlement_uncertain') return unknown;
  // A stream of responses has one code for everything that fails here; the sentence says more.
  if (code === 'server_error' && body.stream === true && !/nothing was charged/i.test(message)) return unknown;
  // What outlives its caller may have committed when its caller was answered that the database did not answer.
  if (status === 503 && (detached || isKeyed)) return unknown;
  return 'refused';
}
