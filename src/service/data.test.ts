/** The data folder of several gateways: what opening it must leave alone. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { newFileId } from '#batches/file.ts';
import { FolderContents } from '#storage/files/contents.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { openData } from './data.ts';

test('a gateway that opens the data folder leaves the uploads that others are taking', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-data-'));
  const config = parseConfig(selling([marketModel('tide', 1)]), 'sluice.yaml', { SLUICE_DATA: folder });
  const clock = new ManualClock();
  const ids = idSource(clock);
  try {
    const contents = new FolderContents(join(folder, 'files'));
    const fileId = newFileId(ids);
    const draft = await contents.draft(fileId);
    await draft.write(Buffer.from('uploaded'));
    await openData({ config, clock, ids, log: silentLog }, async () => []);
    await draft.keep();
    assert.equal(Buffer.concat(await Array.fromAsync(contents.read(fileId))).toString(), 'uploaded');
  } finally {
    await rm(folder, { recursive: true });
  }
});
