/** What a browser finds wrong with the input of a batch, compared with what the gateway finds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { checkInput } from '#batches/check.ts';
import { checkFile, type FileCheck } from '../src/settings/batch-file.ts';

const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Eight ch' }];
const line = (id: unknown, body: object = {}, change: object = {}) =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: CHAT,
    body: { model: 'tide-70b', messages, ...body },
    ...change,
  });
const rules = {
  linesMax: 10_000,
  bytesMax: 50 * 1024 * 1024,
  modelNamed: async (name: string) => ({ 'tide-70b': 'tide-70b', tide: 'tide-70b' })[name] ?? null,
};

async function checked(parts: readonly (string | Uint8Array<ArrayBuffer>)[], options = {}): Promise<FileCheck> {
  const signal = new AbortController().signal;
  return checkFile(new Blob([...parts]), rules, { onProgress: () => {}, signal, ...options });
}

const complaints = ({ wrong }: FileCheck) => wrong.map(({ number, complaint }) => `Line ${number} ${complaint}`);

describe('the check of a batch file in the browser', () => {
  test('finds the lines that fail the whole file, with the sentences of the gateway', async () => {
    const bytes = new Uint8Array(Buffer.from(line('\u00e4'), 'latin1'));
    const parts = [
      ...[
        `\ufeff${line('a')}\r\n`,
        '\n',
        `${line('b')}\n`,
        '{"custom_id"\n',
        '[1]\n',
        `${line(7)}\n`,
        `${line('a')}\n`,
      ],
      ...[`${line('c', {}, { method: 'GET' })}\n`, bytes, '\n', `${line('x'.repeat(65_537))}\n`, line('d')],
    ];
    const found = await checked(parts);
    const blob = new Blob([...parts]);
    const judged = await checkInput(blob.stream(), { kind: 'chat', linesMax: rules.linesMax });
    assert.deepEqual(complaints(found), 'errors' in judged ? judged.errors : []);
    assert.deepEqual([found.lines, found.wrongCount, found.failingCount], [10, 7, 7]);
    assert.deepEqual([found.endpoint, found.refusal], [CHAT, '']);
  });

  test('finds what fails a line alone: its model, its delivery, its caps, its input', async () => {
    const bodies = [
      { model: 'none-1b' },
      { model: 7 },
      { stream: true },
      { deadline: 60 },
      { max_tokens: 0 },
      { price_limit: '5' },
      { messages: [] },
      { messages: [{ content: 'x' }] },
      { messages: undefined },
      { tags: ['two words'] },
    ];
    const found = await checked([bodies.map((body, at) => line(String(at), body)).join('\n')]);
    assert.deepEqual([found.wrongCount, found.failingCount], [bodies.length, 0]);
    assert.deepEqual(
      found.wrong.map(({ complaint }) => complaint),
      [
        'names a model that is not sold here: none-1b.',
        'model must be a string.',
        'A line of a batch cannot have stream: true.',
        'A line of a batch has no deadline of its own: give it to the batch.',
        'max_tokens must be a whole number of at least 1.',
        'price_limit must be a number of at least 0, in USD.',
        'messages must not be empty.',
        'messages[0].role is required.',
        'messages is required.',
        'tags must be at most 5 words, each of 1 to 32 letters, digits, ".", "_", ":" or "-".',
      ],
    );
    const other = await checked([line('a', { max_tokens: undefined }, { url: '/v1/messages' })]);
    assert.equal(other.wrong[0]?.complaint, 'max_tokens is required.');
  });

  test('counts what the right lines ask of each model, by its id', async () => {
    const { work } = await checked([
      [line('a', { max_tokens: 5 }), line('b', { model: 'tide' }), line('c', { model: undefined })].join('\n'),
    ]);
    const one = { lines: 1, inputTokens: 3, outputTokens: 0, uncapped: 1 };
    assert.deepEqual(Object.fromEntries(work), {
      'tide-70b': { lines: 2, inputTokens: 6, outputTokens: 5, uncapped: 1 },
      '': one,
    });
  });

  test('says how many lines a file has that is too long, and lets others run meanwhile', async () => {
    const text = Array.from({ length: 50_000 }, (_, at) => line(String(at))).join('\n');
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await setImmediate();
    })();
    const shares: number[] = [];
    const found = await checked([text], { onProgress: (share: number) => shares.push(share) });
    isOver = true;
    await others;
    assert.equal(found.refusal, 'The file has 50,000 lines; a batch takes up to 10,000.');
    assert.ok(turns > 50 && shares.length > 50, `${turns} turns, ${shares.length} pieces`);
    assert.equal(shares.at(-1), 1);
  });

  test('refuses an empty file and one that is too large, and ends when it is stopped', async () => {
    assert.equal((await checked(['\n \n'])).refusal, 'The file has no lines.');
    const large = { size: rules.bytesMax + 1 } as Blob;
    const signal = new AbortController().signal;
    const found = await checkFile(large, rules, { onProgress: () => {}, signal });
    assert.equal(found.refusal, 'The file is larger than 50 MiB.');
    await assert.rejects(checked([line('a')], { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});
