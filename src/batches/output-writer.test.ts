/** How ended lines come to stand in the two files of a batch while the disk, the journal or a result is lost. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { shapes } from '#adapters/shapes.ts';
import { silentLog } from '#base/log.ts';
import { tariffFromId } from '#ledger/tariff.ts';
import { encodeResult } from '#results/result.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { MemoryContents } from '#testing/memory-contents.ts';
import { orderRow, startMs } from '#testing/order-fixtures.ts';
import { LINES_GATHERING_MS, OutputWriter } from './output-writer.ts';

type Options = ConstructorParameters<typeof OutputWriter>[1];
type EndedLine = Awaited<ReturnType<Options['store']['endedLines']>>[number];
type Unit = Extract<Parameters<Options['journal']['write']>[0], { kind: 'lines-placed' }>;
type Outcome = Awaited<ReturnType<Options['journal']['write']>>;

describe('lines on their way into files', () => {
  const batch = batchRow({ accountId: 'a' });
  let clock: ManualClock;
  let contents: MemoryContents;
  let ended: Map<number, EndedLine>;
  let bodies: Map<string, string>;
  /** Bodies that are files: they are read one by one. */
  let files: Map<string, string>;
  let answers: (Outcome | Error)[];
  let written: Unit[];
  let asked: number[];

  beforeEach(() => {
    clock = new ManualClock(startMs);
    contents = new MemoryContents();
    [ended, bodies, files] = [new Map(), new Map(), new Map()];
    [answers, written, asked] = [[], [], []];
  });

  function open(row = batch): OutputWriter {
    const write = async (unit: Unit) => {
      written.push(unit);
      const answer = answers.shift() ?? { result: 'changed' };
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return new OutputWriter(row, {
      ...{ clock, log: silentLog, contents, shapes, onPlaced: () => {} },
      journal: { write: write as Options['journal']['write'] },
      store: {
        async endedLines(_batchId, lines) {
          asked.push(lines.length);
          return lines.flatMap((line) => ended.get(line) ?? []);
        },
      },
      results: {
        get: async (id) => storedAs(files.get(id)),
        getCheap: async (ids) =>
          new Map(
            ids.flatMap((id) => {
              const stored = storedAs(bodies.get(id));
              return stored ? [[id, stored]] : [];
            }),
          ),
      },
    });
  }

  /** A line that was answered, and the id of its order. */
  function answered(line: number, text = 'Hi.', kept = bodies): string {
    const order = orderRow({ accountId: 'a', batchId: batch.id, status: 'done', finishedAtMs: startMs });
    ended.set(line, { line, customId: `line ${line}`, order, failure: null });
    const { id: orderId, kind, model, createdAtMs, bid, tariffId } = order;
    const tokens = { uncached: 10, cached: 90, output: 5 };
    const receipt = { orderId, tariff: tariffFromId(tariffId), price: bid, bid, charged: 1n, tokens };
    const said = { text, reasoning: '', toolCalls: [], logprobs: null, stopSequence: null };
    const generation = { ...said, finishReason: 'stop', parts: [{ type: 'text', length: text.length }] } as const;
    const answer = { generation, receipt, reasoningTokens: null, finishedAtMs: startMs };
    kept.set(orderId, encodeResult({ orderId, kind, model, createdAtMs, answer }, 1).text);
    return orderId;
  }

  function failed(line: number): void {
    const failure = { status: 'error', code: 'invalid_request', message: 'No.' } as const;
    ended.set(line, { line, customId: `line ${line}`, order: null, failure });
  }

  async function placing(writer: OutputWriter, ...lines: number[]): Promise<void> {
    for (const line of lines) writer.add(line);
    await clock.advance(LINES_GATHERING_MS);
  }

  const namesIn = (fileId: string) => contents.lines(fileId).map(({ custom_id }) => custom_id);
  const output = () => namesIn(batch.outputFileId);
  const errors = () => namesIn(batch.errorFileId);
  const codes = () => contents.lines(batch.errorFileId).map(({ error }) => (error as { code: string }).code);
  const sizes = () => ({
    outputBytes: contents.bytes.get(batch.outputFileId)?.length ?? 0,
    errorBytes: contents.bytes.get(batch.errorFileId)?.length ?? 0,
  });

  test('lines that end together are one write, each in its file', async () => {
    answered(1);
    failed(2);
    answered(3, 'Hi.', files);
    const writer = open();
    await placing(writer, 1, 2, 3);
    assert.deepEqual([output(), errors()], [['line 1', 'line 3'], ['line 2']]);
    const nothing = { outputBytes: 0, errorBytes: 0 };
    assert.deepEqual(written, [
      { kind: 'lines-placed', batchId: batch.id, inOutput: [1, 3], inErrors: [2], lost: 0, from: nothing, to: sizes() },
    ]);
    assert.deepEqual([writer.placed, writer.sizes], [3, sizes()]);
  });

  test('a disk that fills up in the middle of a line delays it, and leaves nothing of the first try', async () => {
    answered(1);
    failed(2);
    contents.full = true;
    const writer = open();
    await placing(writer, 1, 2);
    assert.ok(sizes().outputBytes > 0);
    assert.deepEqual([writer.placed, writer.sizes.outputBytes, written], [0, 0, []]);
    await clock.advance(999);
    contents.full = false;
    await clock.advance(1);
    assert.deepEqual([output(), errors(), writer.placed], [['line 1'], ['line 2'], 2]);
  });

  test('a journal that fails after the bytes are on the disk has them written again in their place', async () => {
    answered(1);
    failed(2);
    answers = [new Error('the database is away')];
    const writer = open();
    await placing(writer, 1, 2);
    assert.deepEqual([output(), writer.placed], [['line 1'], 0]);
    // Meanwhile another line has ended, which shares the second try.
    answered(3);
    writer.add(3);
    await clock.advance(1000);
    assert.deepEqual([output().sort(), errors(), writer.placed], [['line 1', 'line 3'], ['line 2'], 3]);
    assert.deepEqual(
      written.map(({ from }) => from.outputBytes),
      [0, 0],
    );
  });

  test('files that are not as long as they were left are not written to as if they were', async () => {
    answered(1);
    answers = [{ result: 'stale' }];
    const writer = open();
    await placing(writer, 1);
    assert.deepEqual([writer.placed, writer.sizes], [0, { outputBytes: 0, errorBytes: 0 }]);
    await clock.advance(1000);
    assert.deepEqual([written.length, writer.placed, output()], [2, 1, ['line 1']]);
  });

  test('it goes on behind what an earlier process placed, over what that wrote and never noted', async () => {
    failed(1);
    await placing(open(), 1);
    const { errorBytes } = sizes();
    failed(2);
    answers = [new Error('killed')];
    const killed = open({ ...batch, sizes: sizes(), counts: { ...batch.counts, placed: 1 } });
    await placing(killed, 2);
    await killed.close();
    assert.deepEqual(errors(), ['line 1', 'line 2']);

    failed(3);
    const next = open({ ...batch, sizes: { outputBytes: 0, errorBytes }, counts: { ...batch.counts, placed: 1 } });
    await placing(next, 3, 2);
    assert.deepEqual([errors(), next.placed], [['line 1', 'line 3', 'line 2'], 3]);
  });

  test('an answer that is lost or cannot be read is an error of its line, and counted as lost', async () => {
    const [deleted, damaged, unknown] = [answered(1), answered(2), answered(3)];
    bodies.delete(deleted);
    bodies.set(damaged, '{"version":1,');
    bodies.set(unknown, '{"version":2}');
    answered(4);
    failed(5);
    await placing(open(), 1, 2, 3, 4, 5);
    assert.deepEqual([output(), codes()], [['line 4'], [...Array(3).fill('result_unavailable'), 'invalid_request']]);
    assert.deepEqual(
      written.map(({ lost, inErrors }) => [lost, inErrors]),
      [[3, [1, 2, 3, 5]]],
    );
  });

  test('a line whose end is not written yet keeps back nobody, and comes when it is', async () => {
    failed(2);
    const writer = open();
    await placing(writer, 1, 2);
    assert.deepEqual([errors(), writer.placed], [['line 2'], 1]);
    await clock.advance(999);
    failed(1);
    await clock.advance(1);
    assert.deepEqual([errors(), writer.placed], [['line 2', 'line 1'], 2]);
    assert.equal(written.length, 2);
  });

  test('a write takes 256 lines, and about four mebibytes of text', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => at + 1);
    for (const line of lines) failed(line);
    await placing(open(), ...lines);
    assert.deepEqual(
      written.map(({ inErrors }) => inErrors.length),
      [256, 44],
    );

    written = [];
    for (const line of [1, 2, 3]) answered(line, 'x'.repeat(3 * 1024 * 1024));
    await placing(open(), 1, 2, 3);
    assert.deepEqual(
      written.map(({ inOutput }) => inOutput),
      [[1, 2], [3]],
    );
    assert.deepEqual(output(), ['line 1', 'line 2', 'line 3']);
  });

  test('a writer that is closed ends with the write under way, and begins no other', async () => {
    failed(1);
    failed(2);
    contents.full = true;
    const writer = open();
    await placing(writer, 1);
    contents.full = false;
    await writer.close();
    writer.add(2);
    await clock.advance(10_000);
    assert.deepEqual([written, writer.placed, clock.pending], [[], 0, 0]);
  });
});

function storedAs(text: string | undefined) {
  return text === undefined ? null : { text, charged: 1n };
}
