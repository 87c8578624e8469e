/**
 * What a finished order left: its answer, and the stored text from which a replay or a collection renders that answer
 * in its wire shape. The charge is not in it: a result is written before the charge is known, so the usage record has
 * it alone. The format is internal and carries its version.
 */
import type { Receipt } from '#ledger/receipt.ts';
import { chargeOf, tariffFromId } from '#ledger/tariff.ts';
import type { StreamRecord } from './event-log.ts';
import type { Generation } from './generation.ts';
import type { AttemptResult, StoredResult } from './ports.ts';

/** The answer of a finished order: its generation and its receipt. Wire shapes render it. */
export interface Answer {
  readonly generation: Generation;
  readonly receipt: Receipt;
  /** Part of the output tokens; null when the pod did not say. */
  readonly reasoningTokens: number | null;
  readonly finishedAtMs: number;
}

/** A finished order as stored: enough to render its answer in its shape again. */
export interface Result {
  readonly orderId: string;
  /** The kind of the order, which determines its shape. */
  readonly kind: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly answer: Answer;
  /** How its stream went; null or absent where it cannot be followed, and in results from before it was kept. */
  readonly stream?: StreamRecord | null;
}

interface StoredForm {
  /** Version 1 has a charge, `chargedNano`, which may be wrong where a part of it was written off. */
  version: 1 | 2;
  orderId: string;
  kind: string;
  model: string;
  createdAtMs: number;
  finishedAtMs: number;
  generation: Generation;
  reasoningTokens: number | null;
  tariffId: string;
  levelAtExecution: number;
  bid: number;
  /** Absent without a bound of the charge. */
  maxCharge?: { nano: string; reached: boolean };
  tokens: { uncached: number; cached: number; output: number };
  /** Absent where the pod reported its tokens. */
  estimated?: true;
  stream?: StreamRecord;
}

/**
 * The largest result, in bytes, that is a row, in the transaction that settles its order; larger ones are blobs. A blob
 * costs 400 to 700 microseconds of processor time however small it is, a row 35 plus 5 per KiB: they break even here.
 */
const ROW_BYTES_MAX = 64 * 1024;

/** A result as stored. The text has no character that a database could refuse. */
export interface EncodedResult extends AttemptResult {
  /** The size of the text in UTF-8. */
  readonly bytes: number;
}

/** Whether a result is stored as a row. */
export function fitsRow({ bytes }: EncodedResult): boolean {
  return bytes <= ROW_BYTES_MAX;
}

/** The text to store, of an attempt. */
export function encodeResult(result: Result, attempt: number): EncodedResult {
  const { answer } = result;
  const { receipt } = answer;
  const form: StoredForm = {
    version: 2,
    orderId: result.orderId,
    kind: result.kind,
    model: result.model,
    createdAtMs: result.createdAtMs,
    finishedAtMs: answer.finishedAtMs,
    generation: answer.generation,
    reasoningTokens: answer.reasoningTokens,
    tariffId: receipt.tariff.id,
    levelAtExecution: receipt.price,
    bid: receipt.bid,
    ...(receipt.bound
      ? { maxCharge: { nano: receipt.bound.maxCharge.toString(), reached: receipt.bound.reached } }
      : {}),
    tokens: receipt.tokens,
    ...(receipt.estimated ? { estimated: true } : {}),
    ...(result.stream ? { stream: result.stream } : {}),
  };
  const text = JSON.stringify(form);
  return { orderId: result.orderId, attempt, text, bytes: Buffer.byteLength(text) };
}

/**
 * Reads the text that `encodeResult` wrote, with the charge of its usage record; without one it is what the tokens
 * cost. Throws on anything else: the text was damaged.
 */
export function decodeResult({ text, charged }: StoredResult): Result {
  const form = JSON.parse(text) as StoredForm;
  if (form.version !== 1 && form.version !== 2) throw new Error(`stored result of unknown version ${form.version}`);
  const { orderId, kind, model, createdAtMs, generation, reasoningTokens, finishedAtMs } = form;
  const tariff = tariffFromId(form.tariffId);
  const receipt = {
    orderId,
    tariff,
    price: form.levelAtExecution,
    bid: form.bid,
    charged: charged ?? chargeOf(tariff, form.levelAtExecution, form.tokens),
    tokens: form.tokens,
    bound: form.maxCharge ? { maxCharge: BigInt(form.maxCharge.nano), reached: form.maxCharge.reached } : null,
    estimated: form.estimated ?? false,
  };
  const answer = { generation, receipt, reasoningTokens, finishedAtMs };
  return { orderId, kind, model, createdAtMs, answer, stream: form.stream ?? null };
}
