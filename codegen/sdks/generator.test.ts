import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fetchJar } from './generator.ts';

describe('the jar of the generator', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-generator-'));
  });
  after(() => rm(folder, { recursive: true }));

  const download = (folder: string) => writeFile(`${folder}/openapi-generator-cli-7.25.0.jar`, 'something else');

  it('is refused and removed when its checksum differs', async () => {
    await assert.rejects(fetchJar(folder, download), /has the SHA-256 [0-9a-f]{64} instead of 41ce4f6b/);
    assert.equal(existsSync(`${folder}/openapi-generator-cli-7.25.0.jar`), false);
  });

  it('is checked also when it already exists', async () => {
    await download(folder);
    const fetched = fetchJar(folder, () => assert.fail('Downloaded again.'));
    await assert.rejects(fetched, /it was removed without being used/);
  });
});
