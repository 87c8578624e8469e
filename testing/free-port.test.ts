import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CLAIMS, freePort } from './free-port.ts';

const MODULE = JSON.stringify(join(import.meta.dirname, 'free-port.ts'));
const claimOf = (port: number) => join(CLAIMS, String(port));

test('no two processes are given the same port, and what an ended one had is given back', async () => {
  const ours = new Set<number>();
  while (ours.size < 20) ours.add(await freePort());
  // The other process draws ten of ours before any other.
  const script = `
    const random = process.getBuiltinModule('node:crypto');
    const drawn = [${[...ours].slice(0, 10).join()}];
    const { randomInt } = random;
    random.randomInt = (...bounds) => drawn.shift() ?? randomInt(...bounds);
    process.getBuiltinModule('node:module').syncBuiltinESMExports();
    const { freePort } = await import(${MODULE});
    console.log(await freePort());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(ours.has(Number(stdout)), false);
  for (const port of ours) assert.ok(existsSync(claimOf(port)));
  assert.equal(existsSync(claimOf(Number(stdout))), false);
});
