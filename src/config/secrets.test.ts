/** Secrets from variables, and from the files that variables name. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newSigningKey } from '#signing/signing-key.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError, secretOf } from './environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
let files = 0;
after(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, String(++files));
  writeFileSync(file, text);
  return file;
}

function refusal(environment: Record<string, string>): string {
  try {
    secretOf(environment, 'KEY');
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail('it was accepted');
}

test('a secret is the variable, or what is in the file that the other variable names', () => {
  assert.equal(secretOf({ KEY: 'from the variable' }, 'KEY'), 'from the variable');
  assert.equal(secretOf({ KEY_FILE: fileOf('plain') }, 'KEY'), 'plain');
  assert.equal(secretOf({ KEY_FILE: fileOf(' with spaces \r\n') }, 'KEY'), ' with spaces ');
  for (const absent of [{}, { KEY: '' }, { KEY: '', KEY_FILE: '' }]) assert.equal(secretOf(absent, 'KEY'), undefined);
});

test('both, an empty file, and one that cannot be read are refused without the secret', () => {
  const file = fileOf('hidden');
  assert.equal(refusal({ KEY: 'seen', KEY_FILE: file }), 'KEY and KEY_FILE are both set; remove one of them.');
  assert.match(refusal({ KEY_FILE: fileOf('\n') }), /which is empty; write the secret into it\.$/);
  assert.match(refusal({ KEY_FILE: join(folder, 'none') }), /which cannot be read \(ENOENT\); make it a file/);
  assert.match(refusal({ KEY_FILE: folder }), /which cannot be read \(EISDIR\)/);
});

test('the key of a pod may be in a file that the configuration names, and each reading reads it again', () => {
  const written = (...lines: string[]) =>
    parseConfig(
      `default_model: a\nmodels: [{id: a, type: fixed, context_length: 10, max_output_length: 5, usd_per_million: {cached: 1, uncached: 1, output: 1}, pods: [{id: p, url: "http://c", slots: 1, ${lines.join(', ')}}]}]\n`,
      'sluice.yaml',
      { GPU_KEY: 'other' },
    );
  const key = fileOf('first\n');
  const keyOf = () => (written(`api_key_file: ${key}`).pods[0] as { apiKey?: unknown }).apiKey;
  assert.equal(keyOf(), 'first');
  writeFileSync(key, 'second');
  assert.equal(keyOf(), 'second');
  assert.throws(
    () => written(`api_key_file: ${key}`, 'api_key_env: GPU_KEY'),
    /api_key_file is set beside api_key_env/,
  );
  assert.throws(() => written(`api_key_file: ${fileOf('')}`), /names \S+, which is empty; write the key into it/);
  assert.throws(() => written(`api_key_file: ${key}.none`), /names \S+, which cannot be read \(ENOENT\)/);
});

test('every secret of the configuration may be in a file', () => {
  const text = `
default_model: tide
payments: {stripe: {success_url: "https://x.example/a", cancel_url: "https://x.example/b"}}
models:
  - id: tide
    type: market
    context_length: 4096
    max_output_length: 1024
    pricing_ratio: {cached: 0.1, uncached: 1, output: 4}
    floor: 0.25
    ceiling: 100
    pods: [{id: a, url: "http://10.0.0.5:8000/v1", slots: 64, model: up, api_key_env: GPU_KEY}]
`;
  const signingKey = newSigningKey(0).privateKey;
  const { databaseUrl, peer, payments, pods, receiptSigningKey } = parseConfig(text, 'sluice.yaml', {
    DATABASE_URL_FILE: fileOf('mysql://user:secret@db/sluice\n'),
    SLUICE_PEER_ADDRESS: '10.0.0.7:9100',
    SLUICE_PEER_SECRET_FILE: fileOf('0123456789abcdef0123456789abcdef'),
    STRIPE_SECRET_KEY_FILE: fileOf('sk_test_1'),
    STRIPE_WEBHOOK_SECRET_FILE: fileOf('whsec_two'),
    RECEIPT_SIGNING_KEY_FILE: fileOf(`${signingKey}\n`),
    GPU_KEY_FILE: fileOf('the key of the pod'),
  });
  assert.equal(databaseUrl, 'mysql://user:secret@db/sluice');
  assert.equal(receiptSigningKey, signingKey);
  assert.equal(peer?.secret, '0123456789abcdef0123456789abcdef');
  assert.deepEqual([payments?.secretKey, payments?.webhookSecret], ['sk_test_1', 'whsec_two']);
  assert.equal((pods[0] as { apiKey?: unknown }).apiKey, 'the key of the pod');
});
