import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { generatorJar } from './generator.ts';

describe('the jar of the generator', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-generator-'));
  });
  after(() => rm(folder, { recursive: true }));

  const download = (folder: string) => writeFile(`${folder}/openapi-generator-cli-7.25.0.jar`, 'something else');

  it('is refused and removed when its checksum is another', async () => {
    await assert.rejects(generatorJar(folder, download), /has the SHA-256 [0-9a-f]{64}, and not 41ce4f6b/);
    assert.equal(existsSync(`${folder}/openapi-generator-cli-7.25.0.jar`), false);
  });

  it('is checked also when it was there before', async () => {
    await download(folder);
    const fetched = generatorJar(folder, () => assert.fail('Downloaded again.'));
    await assert.rejects(fetched, /it was not used, and is removed/);
  });
});
