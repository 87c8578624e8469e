/** A restart bench with batches: inputs are text, and their results are read as lines. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { AccessStore } from '#accounts/keys/key-lookup.ts';
import { shapes } from '#adapters/shapes.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import type { BatchRecord } from '#batches/batch.ts';
import { Batches, type BatchParams } from '#batches/batches.ts';
import { newFileId } from '#batches/file.ts';
import { LINES_GATHERING_MS } from '#batches/output-writer.ts';
import type { OrderWithUsage } from '#orders/order.ts';
import { audit } from '#storage/audit/index.ts';
import { createBatchStore } from '#storage/batches/store.ts';
import { createFileStore } from '#storage/files/store.ts';
import { createAdoptionStore } from '#storage/orders/adoption.ts';
import { createOrderStore } from '#storage/orders/store.ts';
import { type OpenedDatabase, openTested, type TestedDatabase } from './databases.ts';
import { MemoryContents } from './memory-contents.ts';
import { RestartBench } from './restart-bench.ts';

const CHAT = '/v1/chat/completions';

/** A line of an input file; by default a valid chat request. */
export function chatLine(customId: unknown, body: Record<string, unknown> = {}, other: Record<string, unknown> = {}) {
  const whole = { messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 50, ...body };
  return JSON.stringify({ custom_id: customId, method: 'POST', url: CHAT, body: whole, ...other });
}

/**
 * Passes an open bench over a fresh database of this kind to `take` before each test. After each test the audit must
 * find nothing.
 */
export function useBatchBench(tested: TestedDatabase, take: (bench: BatchBench) => void): void {
  let opened: OpenedDatabase;
  let bench: BatchBench;
  beforeEach(async () => {
    opened = await openTested(tested);
    bench = new BatchBench(opened.db);
    await bench.open();
    take(bench);
  });
  afterEach(async () => {
    const { findings } = await audit(opened.db, null, { nowMs: bench.clock.nowMs(), contents: bench.contents });
    await bench.close();
    await opened.drop();
    assert.deepEqual(findings, []);
  });
}

/** One account with batches on a bench of its own. */
export class BatchBench extends RestartBench {
  readonly contents = new MemoryContents();
  runningMax = 5;
  linesMax = 10_000;
  #batches: Batches | null = null;

  get batches(): Batches {
    assert.ok(this.#batches);
    return this.#batches;
  }

  override async open(): Promise<void> {
    await super.open();
    await this.#begin();
  }

  override async restart(): Promise<void> {
    await super.restart();
    await this.#begin();
    await this.rest();
  }

  /** Enters a file of these lines. */
  async upload(...lines: string[]): Promise<string> {
    const id = newFileId(idSource(this.clock));
    const bytes = Buffer.from(lines.join('\n'));
    this.contents.bytes.set(id, bytes);
    await this.#files().add({
      id,
      accountId: this.accountId,
      keyId: null,
      purpose: 'batch',
      filename: 'input.jsonl',
      bytes: bytes.length,
      createdAtMs: this.clock.nowMs(),
      expiresAtMs: this.clock.nowMs() + 86_400_000,
    });
    return id;
  }

  /** Makes a batch of a file of these lines, and runs it as far as it gets by itself. */
  async run(lines: readonly string[], params: Partial<BatchParams> = {}): Promise<string> {
    const id = await this.create({ inputFileId: await this.upload(...lines), ...params });
    await this.rest();
    return id;
  }

  /** Makes a batch, by default with a price limit of five dollars. */
  async create(params: Partial<BatchParams> & Pick<BatchParams, 'inputFileId'>): Promise<string> {
    const made: BatchParams = {
      accountId: this.accountId,
      keyId: null,
      kind: 'chat',
      limit: 5e9,
      priceLimits: {},
      keyModels: null,
      keyBudgeted: false,
      strict: false,
      tags: null,
      retentionDays: 30,
      logPayloads: false,
      metadata: null,
      maxWaitS: null,
      deadline: null,
      ...params,
    };
    return (await this.batches.create(made, wholeAccount(made.accountId))).id;
  }

  /** Waits until everything is idle and the ended lines are placed. */
  async rest(): Promise<void> {
    await this.settle();
    for (let turn = 0; turn < 4; turn++) {
      await this.clock.advance(LINES_GATHERING_MS);
      await this.settle();
    }
  }

  /** Runs a resting order and answers it. */
  async answer(orderId: string, text = 'Hi.'): Promise<void> {
    await this.admit(orderId);
    this.pods.last.say(text).finish();
    await this.settle();
  }

  /** Answers every resting order. */
  async answerAll(): Promise<void> {
    for (const orderId of this.resting) await this.answer(orderId);
    await this.rest();
  }

  async batch(id: string): Promise<BatchRecord> {
    const batch = await createBatchStore(this.db).find(wholeAccount(this.accountId), id);
    assert.ok(batch);
    return batch;
  }

  /** The orders of a batch, oldest first. */
  async orders(batchId: string): Promise<OrderWithUsage[]> {
    const anything = { statuses: null, model: null, kind: null, idPrefix: null, fromMs: null, toMs: null };
    const filter = { ...wholeAccount(this.accountId), batchId, ...anything };
    return (await createOrderStore(this.db).list(filter, { limit: 500, after: null })).reverse();
  }

  /** The lines in the files of a batch. */
  async entries(id: string): Promise<{ output: Record<string, unknown>[]; errors: Record<string, unknown>[] }> {
    const { outputFileId, errorFileId } = await this.batch(id);
    return { output: this.contents.lines(outputFileId), errors: this.contents.lines(errorFileId) };
  }

  /** The code of each line in the error file, by custom id. */
  async errorCodes(id: string): Promise<Record<string, string>> {
    const { errors } = await this.entries(id);
    return Object.fromEntries(
      errors.map(({ custom_id, error }) => [String(custom_id), (error as { code: string }).code]),
    );
  }

  #files() {
    return createFileStore(this.db, this.journal);
  }

  async #begin(): Promise<void> {
    const store = createBatchStore(this.db);
    this.#batches = new Batches({
      clock: this.bootClock,
      log: silentLog,
      ids: idSource(this.clock),
      journal: this.journal,
      lines: this.orderService,
      store,
      files: this.#files(),
      contents: this.contents,
      results: this.results,
      shapes,
      standing: new AccessStore(this.db),
      disk: this.disk,
      bootEpoch: this.bootEpoch,
      tariffIds: () => ({ [this.listing.id]: this.listing.tariff.id }),
      linesMax: () => this.linesMax,
      runningMax: () => this.runningMax,
    });
    const { batches } = await createAdoptionStore(this.db).activeBatches(this.bootEpoch);
    await this.#batches.resume(batches);
  }
}
