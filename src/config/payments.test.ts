/** The sections `payments` and `billing`, and the secrets beside them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './environment.ts';

/** A model, which every file needs. */
const MODEL =
  '{id: a, type: fixed, context_length: 9, max_output_length: 9, usd_per_million: {cached: 1, uncached: 1, output: 1}}';
const SECRETS = { STRIPE_SECRET_KEY: 'sk_test_4', STRIPE_WEBHOOK_SECRET: 'whsec_4' };
const PAGES = 'success_url: "https://a.example/paid", cancel_url: "https://a.example/back"';

function read(payments: string, environment: Record<string, string> = SECRETS) {
  return parseConfig(`default_model: a\nmodels: [${MODEL}]\n${payments}`, 'sluice.yaml', environment).payments;
}

function refusal(payments: string, environment?: Record<string, string>): string {
  try {
    read(payments, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail('the settings were taken');
}

test('without the section there are no payments, whatever the environment has', () => {
  assert.equal(read(''), null);
  assert.equal(read('payments: {}'), null);
});

test('Stripe has two pages, two secrets and its own address', () => {
  assert.deepEqual(read(`payments: {stripe: {${PAGES}}}`), {
    successUrl: 'https://a.example/paid',
    cancelUrl: 'https://a.example/back',
    apiUrl: 'https://api.stripe.com',
    secretKey: 'sk_test_4',
    webhookSecret: 'whsec_4',
  });
  const restricted = read(`payments: {stripe: {${PAGES}, api_url: "http://127.0.0.1:9"}}`, {
    ...SECRETS,
    STRIPE_SECRET_KEY: 'rk_live_4',
  });
  assert.deepEqual([restricted?.apiUrl, restricted?.secretKey], ['http://127.0.0.1:9', 'rk_live_4']);
});

test('statements have an issuer and a line about tax where the file names them, as texts alone', () => {
  const billing = (section: string) =>
    parseConfig(`default_model: a\nmodels: [${MODEL}]\n${section}`, 'sluice.yaml', {}).billing;
  assert.deepEqual(billing(''), { issuer: null, tax: null });
  const issuer = 'Example Ltd\n1 Mill Lane';
  assert.deepEqual(billing(`billing: {issuer: ${JSON.stringify(issuer)}}`), { issuer, tax: null });
  assert.match(refusal('billing: {tax: 19}'), /billing\.tax is "?19"?; make it/);
  assert.match(refusal('billing: {issuer: " "}'), /billing\.issuer is/);
  assert.match(refusal('billing: {vat: none}'), /billing\.vat is not a setting here/);
});

test('what is missing or wrong is named, and no secret is repeated', () => {
  const good = `payments: {stripe: {${PAGES}}}`;
  assert.match(refusal('payments: {stripe: {success_url: "https://a"}}'), /payments\.stripe\.cancel_url is missing/);
  assert.match(
    refusal(good.replace('https://a.example/paid', 'paid')),
    /success_url is "paid"|success_url is "\\"paid/,
  );
  assert.match(refusal(good.replace('}}', ', sucess: 1}}')), /sucess is not a setting here/);
  assert.match(refusal('payments: {strpe: {}}'), /did you mean stripe\?/);
  assert.match(refusal(good, { STRIPE_WEBHOOK_SECRET: 'whsec_4' }), /STRIPE_SECRET_KEY is not; set it/);
  assert.match(refusal(good, { STRIPE_SECRET_KEY: 'sk_test_4' }), /STRIPE_WEBHOOK_SECRET is not; set it/);
  // The two of them are easily exchanged.
  const exchanged = refusal(good, { STRIPE_SECRET_KEY: 'whsec_4', STRIPE_WEBHOOK_SECRET: 'sk_test_4' });
  assert.match(exchanged, /^STRIPE_SECRET_KEY is not what Stripe's dashboard shows/);
  assert.doesNotMatch(exchanged, /whsec_4/);
});
