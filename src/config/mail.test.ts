/** The section `mail` and the password beside it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './environment.ts';

/** A model, which every file needs. */
const MODEL =
  '{id: a, type: fixed, context_length: 9, max_output_length: 9, usd_per_million: {cached: 1, uncached: 1, output: 1}}';
const REST = 'from: alerts@example.com, pages_url: "https://gateway.example.com"';

function read(mail: string, environment: Record<string, string> = {}) {
  return parseConfig(`default_model: a\nmodels: [${MODEL}]\n${mail}`, 'sluice.yaml', environment).mail;
}

function refusal(mail: string, environment?: Record<string, string>): string {
  try {
    read(mail, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail('the settings were taken');
}

test('a server has a port and TLS by its protocol, and a login with a password from the environment', () => {
  assert.equal(read(''), null);
  const common = { from: 'alerts@example.com', pagesUrl: 'https://gateway.example.com' };
  assert.deepEqual(
    read(`mail: {server: "smtps://mail.example.com", user: ops, ${REST}}`, { SMTP_PASSWORD: 'secret' }),
    {
      ...{ host: 'mail.example.com', port: 465, tls: 'always', login: { user: 'ops', pass: 'secret' } },
      ...common,
    },
  );
  const plain = read(`mail: {server: "smtp://mail.example.com", ${REST}}`);
  assert.deepEqual([plain?.port, plain?.tls, plain?.login], [587, 'starttls', null]);
  const here = read(`mail: {server: "smtp://127.0.0.1:2525", ${REST}}`);
  assert.deepEqual([here?.host, here?.port, here?.tls], ['127.0.0.1', 2525, 'none']);
});

test('what is missing or wrong is named, and no password is repeated', () => {
  const good = `mail: {server: "smtps://mail.example.com", user: ops, ${REST}}`;
  assert.match(refusal(good), /mail\.user is set and SMTP_PASSWORD is not; set it/);
  assert.match(
    refusal(good.replace('user: ops, ', ''), { SMTP_PASSWORD: 'hush' }),
    /SMTP_PASSWORD is set and mail\.user/,
  );
  assert.match(refusal(good, { SMTP_PASSWORD: 'hush', SMTP_PASSWORD_FILE: '/x' }), /are both set; remove one of them/);
  assert.match(refusal(`mail: {server: "smtps://mail.example.com"}`), /mail\.(from|pages_url) is missing/);
  const inUrl = refusal(good.replace('smtps://', 'smtps://ops:hush@'), { SMTP_PASSWORD: 'hush' });
  assert.match(inUrl, /set mail\.user and SMTP_PASSWORD instead/);
  assert.doesNotMatch(inUrl, /hush/);
  assert.match(
    refusal(good.replace('https://gateway', 'http://gateway'), { SMTP_PASSWORD: 'x' }),
    /http:\/\/ only on this machine/,
  );
  assert.match(
    refusal(good.replace('alerts@example.com', 'Sluice'), { SMTP_PASSWORD: 'x' }),
    /make it an e-mail address/,
  );
});
