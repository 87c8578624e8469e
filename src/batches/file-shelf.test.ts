import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileRow } from './file.ts';
import { fileShelf } from './file-shelf.ts';

function row(id: string): FileRow {
  const times = { createdAtMs: Number(id), expiresAtMs: Number(id) };
  return { id, accountId: 'a', purpose: 'batch', filename: 'in.jsonl', bytes: 7, contentGone: false, ...times };
}

/** A shelf of ten files, some of which are the input of an active batch, and what happened to it, in order. */
function shelfWith(inputs: readonly string[]) {
  const rows = Array.from({ length: 10 }, (_, at) => row(`${at}`));
  const done: string[] = [];
  const page = async ({ limit, after }: { limit: number; after: FileRow | null }) => {
    const start = after ? rows.indexOf(after) + 1 : 0;
    return rows.slice(start, start + limit);
  };
  const shelf = fileShelf({
    index: { expired: (_nowMs, asked) => page(asked), oldest: (_accountId, asked) => page(asked) },
    files: {
      async markGone(accountId, id) {
        done.push(`row ${accountId} ${id}`);
        return !inputs.includes(id);
      },
    },
    contents: { delete: async (id) => void done.push(`content ${id}`) },
    batchFiles: { inputsAmong: async (ids) => new Set(ids.filter((id) => inputs.includes(id))) },
  });
  return { shelf, done };
}

test('a file goes by its row first and its content then', async () => {
  const { shelf, done } = shelfWith([]);
  const [first] = await shelf.oldest('a', 1);
  assert.deepEqual(first, { id: '0', accountId: 'a', bytes: 7, sinceMs: 0 });
  if (first) await shelf.remove(first);
  assert.deepEqual(done, ['row a 0', 'content 0']);
});

test('inputs of active batches are passed over, however many pages that takes', async () => {
  const { shelf } = shelfWith(['0', '1', '2', '3', '4', '6']);
  const ids = async (bodies: Promise<{ id: string }[]>) => (await bodies).map(({ id }) => id);
  assert.deepEqual(await ids(shelf.expired(99, 2)), ['5', '7']);
  assert.deepEqual(await ids(shelf.oldest('a', 3)), ['5', '7', '8']);
  assert.deepEqual(await ids(shelf.oldest('a', 100)), ['5', '7', '8', '9']);
});

test('content stays where a batch has come for it since it was looked at', async () => {
  const { shelf, done } = shelfWith(['3']);
  await shelf.remove({ id: '3', accountId: 'a', bytes: 7, sinceMs: 3 });
  assert.deepEqual(done, ['row a 3']);
});

test('nothing is found where every file is an input', async () => {
  const { shelf } = shelfWith(Array.from({ length: 10 }, (_, at) => `${at}`));
  assert.deepEqual(await shelf.expired(99, 5), []);
  assert.deepEqual(await shelf.oldest('a', 100), []);
});
