import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import type { FileRow } from '#batches/file.ts';
import type { FormPart } from '#contract/call.ts';
import { jsonOf, testCall } from '#testing/calls.ts';
import { emptyDisk } from '#testing/empty-disk.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { principalWith } from '#testing/principals.ts';
import { uploadFileHandler } from './files.ts';

const MIB = 1024 * 1024;
const diskFull = () => new Fault('unavailable', { retryAfterS: 30, cause: new Error('ENOSPC') });

const purpose: FormPart = { kind: 'field', name: 'purpose', value: 'batch' };
function file(content: AsyncIterable<Uint8Array>, filename: string | null = 'in.jsonl'): FormPart {
  return { kind: 'file', name: 'file', filename, content, skip() {} };
}
async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** What fails, and from which chunk on. */
interface Trouble {
  readonly onWrite?: number;
  readonly onKeep?: boolean;
  readonly onAdd?: boolean;
  /** What the account stores already, and how much of the disk is free. */
  readonly stored?: number;
  readonly free?: number;
}

/** A handler over a disk in memory, and what happened to both, in order. */
function fixture(trouble: Trouble = {}, fileBytesMax = 100) {
  const clock = new ManualClock();
  const done: string[] = [];
  const rows: Omit<FileRow, 'contentGone'>[] = [];
  let chunks = 0;
  let held = 0;
  let heldMax = 0;
  const disk = emptyDisk();
  disk.availableBytes = trouble.free ?? disk.availableBytes;
  disk.willWrite = (bytes) => {
    disk.availableBytes -= bytes;
  };
  const upload = uploadFileHandler({
    clock,
    ids: idSource(clock),
    limits: { batchFileBytes: fileBytesMax, storedBytesPerAccount: Number.POSITIVE_INFINITY },
    disk,
    contents: {
      draft: async (id) => ({
        async write(chunk) {
          if (trouble.onWrite === chunks++) throw diskFull();
          held += chunk.length;
          heldMax = Math.max(heldMax, held);
          await new Promise(setImmediate);
          held -= chunk.length;
        },
        async keep() {
          if (trouble.onKeep) throw diskFull();
          done.push(`kept ${id}`);
        },
        async abandon() {
          done.push('abandoned');
        },
      }),
    },
    files: {
      storedBytes: async () => trouble.stored ?? 0,
      async add(row) {
        if (trouble.onAdd) throw new Error('the database');
        done.push(`entered ${row.id}`);
        rows.push(row);
      },
    },
  });
  const send = async (parts: readonly FormPart[] | AsyncIterable<FormPart>, account: Partial<Account> = {}) => {
    const form =
      Symbol.asyncIterator in parts
        ? parts
        : (async function* () {
            yield* parts;
          })();
    return upload(
      testCall('uploadFile', { principal: principalWith({ account: { retentionDays: 30, ...account } }), form }),
    );
  };
  return { send, done, rows, clock, heldMax: () => heldMax };
}

test('the content is on the disk before the row is written, and the row before the reply', async () => {
  const { send, done, rows, clock } = fixture();
  const answer = jsonOf(await send([file(chunksOf('one\n', 'two\n')), purpose])) as { id: string; bytes: number };
  assert.deepEqual(done, [`kept ${answer.id}`, `entered ${answer.id}`, 'abandoned']);
  assert.equal(answer.bytes, 8);
  const [row] = rows;
  assert.deepEqual([row?.createdAtMs, row?.expiresAtMs], [clock.nowMs(), clock.nowMs() + 30 * 86_400_000]);
});

for (const [name, trouble] of [
  ['at the first chunk', { onWrite: 0 }],
  ['in the middle', { onWrite: 1 }],
  ['at the end', { onKeep: true }],
] as const) {
  test(`a disk that is full ${name} is reported, and nothing is left`, async () => {
    const { send, done, rows } = fixture(trouble);
    await assert.rejects(send([purpose, file(chunksOf('one', 'two', 'three'))]), { code: 'unavailable', status: 503 });
    assert.deepEqual([done, rows], [['abandoned'], []]);
  });
}

test('a row that cannot be added leaves no file; the content stays until the next start', async () => {
  const { send, done } = fixture({ onAdd: true });
  await assert.rejects(send([purpose, file(chunksOf('one'))]), /the database/);
  assert.deepEqual(done.at(-1), 'abandoned');
});

test('one byte over the limit is refused as it arrives, and the rest is not read', async () => {
  const { send, done } = fixture({}, 10);
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 4;
      yield Buffer.from('1234');
    }
  }
  await assert.rejects(send([purpose, file(endless())]), { code: 'request_too_large', param: 'file' });
  assert.deepEqual([read, done], [12, ['abandoned']]);
  await send([purpose, file(chunksOf('1234567890'))]);
});

test('an account stores no more than it leaves free, and what was refused is free again', async () => {
  const alone = fixture({ free: 10 });
  await assert.rejects(alone.send([purpose, file(chunksOf('123', '456'))]), {
    code: 'rate_limit_error',
    status: 429,
    retryAfterS: 30,
  });
  assert.deepEqual(alone.done, ['abandoned']);
  await alone.send([purpose, file(chunksOf('123', '45'))]);
  const { send } = fixture({ stored: 8, free: 10 });
  await send([purpose, file(chunksOf('1'))]);
  await assert.rejects(send([purpose, file(chunksOf('1'))]), { code: 'rate_limit_error' });
});

test('never more than a chunk of a file is in memory', async () => {
  const { send, heldMax } = fixture({}, 50 * MIB);
  const chunk = Buffer.alloc(64 * 1024);
  async function* large(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < 50 * MIB; sent += chunk.length) yield chunk;
  }
  const { bytes } = jsonOf(await send([purpose, file(large())])) as { bytes: number };
  assert.deepEqual([bytes, heldMax()], [50 * MIB, chunk.length]);
});

test('a caller who disconnects halfway leaves nothing', async () => {
  const { send, done } = fixture();
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('one');
    throw new Error('aborted');
  }
  await assert.rejects(send([purpose, file(broken())]), /aborted/);
  assert.deepEqual(done, ['abandoned']);
});

test('a wrong purpose is refused before a file after it is read', async () => {
  const { send, done } = fixture();
  let read = false;
  async function* unread(): AsyncGenerator<Uint8Array> {
    read = true;
    yield Buffer.from('one');
  }
  const parts: FormPart[] = [{ kind: 'field', name: 'purpose', value: 'vision' }, file(unread())];
  await assert.rejects(send(parts), { code: 'invalid_request', param: 'purpose' });
  assert.deepEqual([read, done], [false, ['abandoned']]);
});

test('one account that sends slowly takes half of the uploads at once, and what it gives up is free again', async () => {
  const { send } = fixture();
  const stop = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    await stop.promise;
  }
  const begun = Array.from({ length: 200 }, () => send([purpose, file(slow())]));
  const refused = begun.map((upload) =>
    upload.then(
      () => null,
      ({ code, retryAfterS }) => [code, retryAfterS],
    ),
  );
  await send([purpose, file(chunksOf('one'))], { id: 'acc_2' });
  stop.resolve();
  const refusals = (await Promise.all(refused)).filter((each) => each !== null);
  assert.deepEqual([refusals.length, refusals[0]], [136, ['rate_limit_error', 10]]);
  await send([purpose, file(chunksOf('one'))]);
});
