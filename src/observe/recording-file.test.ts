import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { RecordingFile } from './recording-file.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-recording-'));
after(() => rmSync(root, { recursive: true }));

let folders = 0;
function open(more: { folder?: string; clock?: ManualClock; bytesMax?: number } = {}) {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_facts: object, text: string) => void warnings.push(text) };
  const folder = join(root, String(++folders));
  return { warnings, file: new RecordingFile({ folder, clock: new ManualClock(), log, ...more }) };
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
