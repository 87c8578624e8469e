/**
 * Stored results: a finished order's answer as bytes, self-contained, so that a replay or a collection renders it in its
 * wire shape without anything else. The format is ours alone and carries its version.
 */
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

/** The bytes to keep. */
export function encodeResult(result: StoredResult): Uint8Array {
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
  return Buffer.from(JSON.stringify(form));
}

/** Reads what `encodeResult` wrote. Throws on anything else: such a file was damaged, and its hash should have said so. */
export function decodeResult(bytes: Uint8Array): StoredResult {
  const form = JSON.parse(Buffer.from(bytes).toString()) as StoredForm;
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
