/** The TypeScript package as it is published: its size, and what a registry shows of it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SIZE_MAX = 40_000;

describe('the package', () => {
  const folder = 'node_modules/@sluice/client';

  it('has no dependency, needs nothing of Node, and has at most 40 kB', async (context) => {
    assert.equal(JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).dependencies, undefined);
    const { outputFiles } = await build({
      ...{ entryPoints: [`${folder}/dist/index.js`], bundle: true, minify: true, write: false },
      ...{ format: 'esm', platform: 'neutral', target: 'es2022' },
    });
    const size = gzipSync(outputFiles[0]?.contents ?? '').length;
    context.diagnostic(`${size} bytes, bundled, minified and compressed`);
    assert.ok(size > 0 && size <= SIZE_MAX, `It has ${size} bytes.`);
  });

  it('has what a registry shows', () => {
    const names = readdirSync(folder);
    for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist']) assert.ok(names.includes(name), name);
    const { repository, homepage, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    assert.ok(repository.url && homepage && license);
  });
});
