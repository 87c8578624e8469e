// Written by codegen/generate.ts from openapi.yaml (sha256 ec47eca0e305238f53faa87c677f24c6055436a4fbc382c848a3d32dfdad8e4f). Do not edit.
import { choice, choiceOr, clamped, decimal, idPrefix, list, plainText, stepBelow, timestamp, trueFlag, whole, queryOf } from '#contract/query.ts';

/** The reader of the query of every operation that has one, by operationId. */
export const queries = {
  getResponse: queryOf({ stream: choice(["true","false"], null), starting_after: whole(0, 2147483647, null) }),
  listOrders: queryOf({ status: list(["queued","executing","done","error","canceled","expired"]), model: plainText(), tag: plainText(32), kind: choice(["chat","completion","responses","messages"], null), batch: plainText(), id: idPrefix(4), from: timestamp('start'), to: timestamp('end'), include: list(["usage","pricing","storage","batch","totals","counts"]), limit: clamped(1, 500, 100), cursor: plainText() }),
  getOrder: queryOf({ include: list(["usage","pricing","storage","batch"]) }),
  streamOrder: queryOf({ starting_after: whole(0, 2147483647, null) }),
  listUsage: queryOf({ model: plainText(), tag: plainText(32), from: timestamp('start'), to: timestamp('end'), limit: clamped(1, 200, 50), cursor: plainText() }),
  listFiles: queryOf({ purpose: choice(["batch","batch_output","batch_errors"], null), limit: clamped(1, 100, 20), after: plainText() }),
  listBatches: queryOf({ limit: clamped(1, 100, 20), after: plainText() }),
  getMarket: queryOf({ model: plainText() }),
  streamMarket: queryOf({ model: plainText() }),
  streamLevels: queryOf({ view: choiceOr(["board"], null) }),
  getPriceLock: queryOf({ model: plainText() }),
  streamPriceLock: queryOf({ model: plainText() }),
  getMarketHistory: queryOf({ model: plainText(), range: choiceOr(["1h","24h","7d","30d"], "24h") }),
  getMarketCandles: queryOf({ model: plainText(), range: choiceOr(["1h","24h","7d","30d"], "24h"), bucket: stepBelow([60,300,900,1800,3600,7200]) }),
  getMarketDepth: queryOf({ model: plainText() }),
  getMarketEstimate: queryOf({ model: plainText(), price_limit: decimal(0, 1000000000, null), price_lock: trueFlag(), chance: decimal(0.01, 0.99, null), within_s: whole(1, 86400, null), requests: whole(1, 100000, 1), input_tokens: whole(0, 10000000, null), output_tokens: whole(0, 10000000, null) }),
  getMarketLocks: queryOf({ model: plainText(), range: choiceOr(["1h","24h"], "24h") }),
  getMarketLedger: queryOf({ model: plainText(), chain: choice(["levels","quotes"], "levels"), after: clamped(0, 9007199254740991, null), from: timestamp('start'), limit: clamped(1, 1000, 100) }),
  getMarketLedgerHead: queryOf({ model: plainText(), chain: choice(["levels","quotes"], "levels") }),
  getUptime: queryOf({ model: plainText(), range: choiceOr(["24h","7d","30d"], "24h"), days: choiceOr(["90"], null) }),
  getTokenStatistics: queryOf({ model: plainText(), range: choiceOr(["24h","7d","30d"], "24h") }),
  getModelStatistics: queryOf({ range: choiceOr(["24h","7d","30d"], "24h") }),
  getLatencyStatistics: queryOf({ model: plainText(), range: choiceOr(["24h","7d","30d"], "24h") }),
  getPartnerCatalog: queryOf({ format: choice(["flat"], null) }),
} as const;
