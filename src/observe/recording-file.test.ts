import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { ChainWriter, hashIn } from '#market/exchange/recording.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { RecordingFile } from './recording-file.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-recording-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
function open(more: { folder?: string; clock?: ManualClock; bytesMax?: number } = {}) {
  const warnings: string[] = [];
  const hashes: unknown[] = [];
  const info = (facts: object) => void hashes.push((facts as { hash: unknown }).hash);
  const log = { ...silentLog, info, warn: (_facts: object, text: string) => void warnings.push(text) };
  const folder = join(root, String(++folders));
  return { warnings, hashes, file: new RecordingFile({ folder, clock: new ManualClock(), log, ...more }) };
}

test('lines go to a file named by the start of the run, in a folder that is created', async () => {
  const { file } = open();
  file.write('{"a":1}');
  file.write('{"b":2}');
  await file.close();
  assert.match(file.path, /2026-01-01T00-00-00\.000Z\.jsonl$/);
  assert.equal(readFileSync(file.path, 'utf8'), '{"a":1}\n{"b":2}\n');
});

test('the record ends before the line that would make it too large, warns once, and keeps its content', async () => {
  const { file, warnings } = open({ bytesMax: 20 });
  for (const line of ['{"a":1}', '{"b":2}', '{"c":3}', '{}']) file.write(line);
  await file.close();
  assert.equal(readFileSync(file.path, 'utf8'), '{"a":1}\n{"b":2}\n');
  assert.deepEqual(warnings, ['The market record of this run ends here: it has reached its maximum size.']);
});

test('the newest five stay, and other files are left alone', async () => {
  const folder = join(root, 'kept');
  const clock = new ManualClock();
  for (let run = 0; run < 7; run++) {
    await open({ folder, clock }).file.close();
    if (run === 0) writeFileSync(join(folder, 'notes.txt'), 'mine');
    await clock.advance(1000);
  }
  const names = readdirSync(folder).sort();
  assert.equal(names.length, 6);
  assert.match(names[0] ?? '', /00-00-02/);
  assert.equal(names.at(-1), 'notes.txt');
});

test('the last hash is logged at the end and at the next start, and the next record can name it', async () => {
  const folder = join(root, 'chained');
  const clock = new ManualClock();
  const chain = new ChainWriter();
  const first = open({ folder, clock });
  assert.equal(first.file.after, null);
  // Longer than what is read of the end at first.
  const lines = ['a', 'b'.repeat(200_000)].map((text) => chain.seal(JSON.stringify({ text })));
  for (const line of lines) first.file.write(line);
  await first.file.close();
  const last = hashIn(lines[1] ?? '');
  assert.deepEqual(first.hashes, [last]);
  appendFileSync(first.file.path, '{"text":"cut o');
  await clock.advance(1000);
  const second = open({ folder, clock });
  assert.deepEqual([second.file.after, second.hashes], [last, [last]]);
  await second.file.close();
});

test('a record without hashes, an empty one and one of half a line have no last hash', async () => {
  for (const [name, content] of Object.entries({ old: '{"a":1}\n{"b":2}\n', empty: '', half: '{"a":1', feed: '\n' })) {
    const folder = join(root, `none-${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, '2025-01-01T00-00-00.000Z.jsonl'), content);
    const { file, hashes } = open({ folder });
    assert.deepEqual([file.after, hashes], [null, []], name);
    await file.close();
  }
});

test('a file that cannot be written ends the record and affects nothing else', async () => {
  const folder = join(root, 'gone');
  const { file, warnings } = open({ folder });
  rmSync(folder, { recursive: true });
  while (warnings.length === 0) {
    file.write('{}');
    await new Promise(setImmediate);
  }
  assert.match(warnings[0] ?? '', /it cannot be written: ENOENT/);
  await file.close();
});
