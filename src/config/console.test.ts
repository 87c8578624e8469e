import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';

const FILE = `
default_model: tide
models:
  - {id: tide, type: market, context_length: 10, max_output_length: 5, ceiling: 4, pricing_ratio: {cached: 0.1, uncached: 1, output: 4}}
`;

const read = (lines: string, HOST = '127.0.0.1') => parseConfig(FILE + lines, 'sluice.yaml', { HOST }).console;

test('the settings and the console are served where only this machine reaches them', () => {
  assert.deepEqual(read(''), { enabled: true, served: true, insecure: false, oidc: null });
  assert.equal(read('', 'localhost').served, true);
  assert.equal(read('', '::1').served, true);
});

test('on an address that others reach they need a proxy that can say whether there is TLS, or console.insecure', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.7', 'gateway.example']) {
    assert.equal(read('', host).served, false, host);
    assert.equal(read('trust_proxy: 0', host).served, false, host);
    assert.equal(read('trust_proxy: []', host).served, false, host);
    assert.equal(read('trust_proxy: 1', host).served, true, host);
    assert.equal(read('trust_proxy: [10.0.0.0/8]', host).served, true, host);
    assert.deepEqual(read('console: {insecure: true}', host), {
      enabled: true,
      served: true,
      insecure: true,
      oidc: null,
    });
  }
});

test('console.enabled: false removes them everywhere', () => {
  assert.deepEqual(read('console: {enabled: false}'), { enabled: false, served: false, insecure: false, oidc: null });
  assert.equal(read('console: {enabled: false, insecure: true}\ntrust_proxy: 1', '0.0.0.0').served, false);
});

test('a wrong setting is refused with its line', () => {
  assert.throws(() => read('console: {enabled: 1}'), /sluice\.yaml:5: console\.enabled is "1"; make it true or false/);
  assert.throws(() => read('console: {secure: true}'), /console\.secure is not a setting here; did you mean insecure/);
  assert.throws(() => read('console: true'), /console is "true"; make it a mapping of settings/);
});
