// Written by codegen/generate.ts from openapi/console.yaml (sha256 120f4fdd0582d4065a8e979db304439b6a1b63e8d377b35d88bd08b3782ac867). Do not edit.
import { choice, choiceOr, clamped, decimal, idPrefix, list, plainText, requiredWhole, timestamp, queryOf } from '#contract/query.ts';

/** The reader of the query of every operation that has one, by operationId. */
export const queries = {
  listEntries: queryOf({ only: choice(["charges","transfers"], null), limit: clamped(1, 100, 20), cursor: plainText() }),
  listMemberOrders: queryOf({ status: list(["queued","executing","done","error","canceled","expired"]), model: plainText(), tag: plainText(32), kind: choice(["chat","completion","responses","messages"], null), batch: plainText(), id: idPrefix(4), key: plainText(), charged_min: decimal(0, 1000000, null), from: timestamp('start'), to: timestamp('end'), include: list(["usage","pricing","storage","batch","totals","counts"]), limit: clamped(1, 500, 100), cursor: plainText() }),
  listMemberBatches: queryOf({ limit: clamped(1, 100, 20), after: plainText() }),
  sumMemberOrders: queryOf({ from: timestamp('start'), to: timestamp('end'), step: choiceOr(["hour","day"], "hour"), status: list(["queued","executing","done","error","canceled","expired"]), model: plainText(), tag: plainText(32), key: plainText(), charged_min: decimal(0, 1000000, null) }),
  listMemberUsage: queryOf({ from: timestamp('start'), to: timestamp('end') }),
  getHistory: queryOf({ range: choiceOr(["1h","24h","7d"], "24h") }),
  getBook: queryOf({ model: plainText() }),
  foretellLevel: queryOf({ model: plainText(), slots: requiredWhole(0, 100000) }),
  listAccounts: queryOf({ search: plainText(200), limit: clamped(1, 100, 20), cursor: plainText() }),
  listAccountOrders: queryOf({ account: plainText(), status: list(["queued","executing","done","error","canceled","expired"]), model: plainText(), tag: plainText(32), kind: choice(["chat","completion","responses","messages"], null), batch: plainText(), id: idPrefix(4), from: timestamp('start'), to: timestamp('end'), include: list(["usage","pricing","storage","batch","totals","counts"]), limit: clamped(1, 500, 100), cursor: plainText() }),
  listSoldOrders: queryOf({ status: list(["queued","executing","done","error","canceled","expired"]), model: plainText(), tag: plainText(32), id: idPrefix(4), any_id: plainText(128), limit: clamped(1, 500, 100), cursor: plainText() }),
  listChanges: queryOf({ account: plainText(), limit: clamped(1, 100, 20), cursor: plainText() }),
  getPodHistory: queryOf({ range: choiceOr(["1h","24h","7d"], "24h") }),
  listTransfers: queryOf({ limit: clamped(1, 100, 20), cursor: plainText() }),
  listAccountEntries: queryOf({ only: choice(["charges","transfers"], null), limit: clamped(1, 100, 20), cursor: plainText() }),
} as const;
