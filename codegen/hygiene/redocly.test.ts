import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { redoclyFindings } from './redocly.ts';

describe('the rules of Redocly', () => {
  let folder: string;
  let yaml: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-redocly-'));
    yaml = await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  });
  after(() => rm(folder, { recursive: true }));

  /** What is found when `from` becomes `to` in openapi.yaml. */
  async function found(from: string, to: string): Promise<string> {
    assert.ok(yaml.includes(from), from);
    const path = join(folder, 'openapi.yaml');
    const text = yaml.replace(from, to);
    await writeFile(path, text);
    return (await redoclyFindings(path, text)).join('\n');
  }

  it('find a component that nothing uses, unless a stream or a file is made of it', async () => {
    const planted = '  schemas:\n    Leftover:\n      type: object\n';
    assert.match(await found('  schemas:\n', planted), /^#\/components\/schemas\/Leftover: .*never used/);
  });

  it('find an example that breaks its schema', async () => {
    assert.match(
      await found('value: {input_tokens: 17}', 'value: {input_tokens: many}'),
      /no-invalid-media-type-examples/,
    );
  });
});
