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

test('metrics are served on loopback at a port that need not be free, or where somebody wants them', () => {
  const metricsOf = (environment: Record<string, string>) => readEnvironment(environment).metrics;
  assert.deepEqual(metricsOf({}), { host: '127.0.0.1', port: 9464, required: false });
  assert.deepEqual(metricsOf({ METRICS_PORT: '' }), { host: '127.0.0.1', port: 9464, required: false });
  assert.deepEqual(metricsOf({ METRICS_PORT: '9000', METRICS_HOST: '0.0.0.0' }), {
    ...{ host: '0.0.0.0', port: 9000 },
    required: true,
  });
  assert.equal(metricsOf({ METRICS_PORT: '0' }), null);
  for (const port of ['-1', '70000', 'x', '9464.5'])
    assert.throws(
      () => metricsOf({ METRICS_PORT: port }),
      (error) => error instanceof ConfigError && /^METRICS_PORT is ".*"; make it a whole number/.test(error.message),
    );
});
