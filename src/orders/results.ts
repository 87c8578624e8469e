/**
 * Stored results: a finished order's answer as text, self-contained, so that a replay or a collection renders it in its
 * wire shape without anything else. The format is ours alone and carries its version.
 */
import type { NanoUsd } from '#base/money.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import type { Generation } from './generation.ts';
import type { OrderKind } from './order.ts';
import type { StoredResult } from './order-port.ts';

interface StoredForm {
  version: 1;
  orderId: string;
  kind: OrderKind;
  model: string;
  createdAtMs: number;
  finishedAtMs: number;
  generation: Generation;
  reasoningTokens: number | null;
  tariffId: string;
  levelAtExecution: number;
  bid: number;
  chargedNano: string;
  tokens: { uncached: number; cached: number; output: number };
}

/**
 * The largest body, in bytes, that is kept as a row, in the transaction that settles its order; larger ones are files.
 * A file costs 400 to 700 microseconds of processor time however small it is, a row 35 and then 5 a KiB: here they meet.
 */
const ROW_BYTES_MAX = 64 * 1024;

/** An answer in the form in which it is kept. The text holds no character that a database could not. */
export interface ResultBody {
  readonly orderId: string;
  readonly text: string;
  /** The size of the text in UTF-8. */
  readonly bytes: number;
}

/** Whether a body is kept as a row. */
export function fitsRow({ bytes }: ResultBody): boolean {
  return bytes <= ROW_BYTES_MAX;
}

/** The body to keep. */
export function encodeResult(result: StoredResult): ResultBody {
  const { answer } = result;
  const { receipt } = answer;
  const form: StoredForm = {
    version: 1,
    orderId: result.orderId,
    kind: result.kind,
    model: result.model,
    createdAtMs: result.createdAtMs,
    finishedAtMs: answer.finishedAtMs,
    generation: answer.generation,
    reasoningTokens: answer.reasoningTokens,
    tariffId: receipt.tariff.id,
    levelAtExecution: receipt.levelAtExecution,
    bid: receipt.bid,
    chargedNano: receipt.charged.toString(),
    tokens: receipt.tokens,
  };
  const text = JSON.stringify(form);
  return { orderId: result.orderId, text, bytes: Buffer.byteLength(text) };
}

/** The text of a body whose receipt says that `charged` was debited. */
export function withCharge(text: string, charged: NanoUsd): string {
  const form = JSON.parse(text) as StoredForm;
  return JSON.stringify({ ...form, chargedNano: charged.toString() });
}

/** Reads the text that `encodeResult` wrote. Throws on anything else: such a body was damaged. */
export function decodeResult(text: string): StoredResult {
  const form = JSON.parse(text) as StoredForm;
  if (form.version !== 1) throw new Error(`stored result of unknown version ${form.version}`);
  const { orderId, kind, model, createdAtMs, generation, reasoningTokens, finishedAtMs } = form;
  const receipt = {
    orderId,
    tariff: tariffFromId(form.tariffId),
    levelAtExecution: form.levelAtExecution,
    bid: form.bid,
    charged: BigInt(form.chargedNano),
    tokens: form.tokens,
  };
  return { orderId, kind, model, createdAtMs, answer: { generation, receipt, reasoningTokens, finishedAtMs } };
}
