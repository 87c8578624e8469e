/** Where data is kept, as the environment says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEnvironment } from './environment.ts';
import { ConfigError } from './section.ts';

const SLUICE_DATA = 's3://bodies/x?endpoint=http://127.0.0.1:1';

test('data is in a folder, or in a bucket beside a folder for what need not outlive the process', () => {
  const folder = readEnvironment({ SLUICE_DATA: 'elsewhere', SLUICE_SPILL: 'spill' });
  assert.deepEqual([folder.dataFolder, folder.dataBucket], ['elsewhere', null]);
  const bucket = readEnvironment({ SLUICE_DATA, SLUICE_SPILL: 'spill' });
  assert.deepEqual(
    [bucket.dataFolder, bucket.dataBucket?.bucket, bucket.dataBucket?.prefix],
    ['spill', 'bodies', 'x/'],
  );
  assert.equal(readEnvironment({ SLUICE_DATA }).dataFolder, 'data');
});

test('an address that names no bucket is refused with the variable and the correction', () => {
  assert.throws(
    () => readEnvironment({ SLUICE_DATA: 's3://' }),
    (error) => error instanceof ConfigError && /^SLUICE_DATA names no bucket; make it s3:/.test(error.message),
  );
});
