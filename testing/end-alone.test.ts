import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const QUICK = "import { it } from 'node:test'; for (let n = 0; n < 500; n++) it('test ' + n, () => {});";
const LEAKING =
  "import { it } from 'node:test'; import { createServer } from 'node:net'; it('leaks', () => createServer().listen(0) && undefined);";

describe('a test file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-end-alone-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function run(source: string, environment: NodeJS.ProcessEnv = {}) {
    const file = join(folder, 'some.test.mjs');
    await writeFile(file, source);
    const preload = fileURLToPath(new URL('end-alone.ts', import.meta.url));
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(process.execPath, ['--test', '--import', preload, '--test-reporter=tap', file], {
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      report += text;
    });
    const [code] = await once(child, 'close');
    return { code, report };
  }

  it('that ends by itself keeps every report', async () => {
    const { code, report } = await run(QUICK);
    assert.match(report, /# pass 500\n/);
    assert.equal(code, 0);
  });

  it('that something keeps alive is ended and fails, and says what it was', async () => {
    const { code, report } = await run(LEAKING, { SLUICE_TEST_GRACE_MS: '50' });
    assert.equal(code, 1);
    assert.match(report, /does not end by itself; still open: TCPServerWrap/);
  });
});
