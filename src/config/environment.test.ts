/** Where data is kept, as the environment says. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { ConfigError, readEnvironment } from './environment.ts';

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

test('a password in the address of a database may have a raw @; what cannot stand there is named with its escape', () => {
  const DATABASE_URL = 'mysql://sluice:p@ss@db.example/sluice';
  assert.equal(readEnvironment({ DATABASE_URL }).databaseUrl, DATABASE_URL);
  for (const password of ['p/ss', 'p#ss', 'p?ss', '%zz'])
    assert.throws(
      () => readEnvironment({ DATABASE_URL: `mysql://sluice:${password}@db.example/sluice` }),
      (error) => error instanceof ConfigError && /@ # \? % in a password as %3A %2F %40/.test(error.message),
      password,
    );
});

test('metrics are served on loopback at a port that need not be free, or at the address that is set', () => {
  const metricsOf = (environment: Record<string, string>) => readEnvironment(environment).metrics;
  const usual = { host: '127.0.0.1', port: 9464, required: false, accounts: [] };
  assert.deepEqual(metricsOf({}), usual);
  assert.deepEqual(metricsOf({ METRICS_PORT: '', METRICS_ACCOUNTS: '' }), usual);
  assert.deepEqual(metricsOf({ METRICS_PORT: '9000', METRICS_HOST: '0.0.0.0' }), {
    ...{ host: '0.0.0.0', port: 9000 },
    ...{ required: true, accounts: [] },
  });
  assert.equal(metricsOf({ METRICS_PORT: '0' }), null);
  for (const port of ['-1', '70000', 'x', '9464.5'])
    assert.throws(
      () => metricsOf({ METRICS_PORT: port }),
      (error) => error instanceof ConfigError && /^METRICS_PORT is ".*"; make it a whole number/.test(error.message),
    );
});

test('at most fifty accounts have metrics of their own, and each is an id', () => {
  const accountsOf = (METRICS_ACCOUNTS: string) => readEnvironment({ METRICS_ACCOUNTS }).metrics?.accounts;
  const id = (number: number) => `01980d3e-0000-7000-8000-${String(number).padStart(12, '0')}`;
  assert.deepEqual(accountsOf(`${id(1)}, ${id(2).toUpperCase()},${id(1)}`), [id(1), id(2)]);
  const ids = Array.from({ length: 51 }, (_, number) => id(number));
  assert.equal(accountsOf(ids.slice(1).join())?.length, 50);
  for (const [text, sentence] of [
    [ids.join(), /^METRICS_ACCOUNTS has 51 accounts; name at most 50\.$/],
    [`${id(1)};acme`, /^METRICS_ACCOUNTS has ".*;acme"; make it ids of accounts/],
    ['acme', /^METRICS_ACCOUNTS has "acme"; make it ids of accounts with commas between them/],
  ] as const)
    assert.throws(
      () => accountsOf(text),
      (error) => error instanceof ConfigError && sentence.test(error.message),
    );
});

test('RECEIPT_SIGNING_KEY is an Ed25519 private key, and a wrong one is not repeated', () => {
  const pemOf = ({ privateKey }: { privateKey: KeyObject }) =>
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const key = pemOf(generateKeyPairSync('ed25519'));
  assert.equal(readEnvironment({ RECEIPT_SIGNING_KEY: key }).receiptSigningKey, key);
  assert.equal(readEnvironment({}).receiptSigningKey, null);
  const other = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  for (const wrong of ['secret words', other]) {
    const read = () => readEnvironment({ RECEIPT_SIGNING_KEY: wrong });
    assert.throws(read, { message: /^RECEIPT_SIGNING_KEY is no Ed25519 private key in PEM; make one with openssl/ });
  }
});
