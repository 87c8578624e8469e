/** The section `console.oidc` and the secret beside it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './environment.ts';

/** A model, which every file needs. */
const MODEL =
  '{id: a, type: fixed, context_length: 9, max_output_length: 9, usd_per_million: {cached: 1, uncached: 1, output: 1}}';
const SECRET = { OIDC_CLIENT_SECRET: 'not-to-be-repeated' };
const GOOD = 'issuer: "https://id.example", client_id: sluice';

function read(oidc: string, environment: Record<string, string> = SECRET) {
  return parseConfig(`{default_model: a, models: [${MODEL}], console: {${oidc}}}`, 'sluice.yaml', environment).console
    .oidc;
}

function refusal(oidc: string, environment?: Record<string, string>): string {
  try {
    read(oidc, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.doesNotMatch(error.message, /not-to-be-repeated/);
    return error.message;
  }
  assert.fail('the settings were taken');
}

test('without the section there is no provider, whatever the environment has', () => {
  assert.equal(read(''), null);
});

test('a provider needs an issuer, a client and its secret; people see the host unless it has a name', () => {
  assert.deepEqual(read(`oidc: {${GOOD}}`), {
    issuer: 'https://id.example',
    clientId: 'sluice',
    clientSecret: 'not-to-be-repeated',
    name: 'id.example',
    scope: 'openid email profile',
    trustsEmail: false,
    roleClaim: null,
    places: new Map(),
  });
  assert.equal(read(`oidc: {${GOOD}, name: Example ID}`)?.name, 'Example ID');
  assert.equal(read('oidc: {issuer: "http://127.0.0.1:9/x", client_id: a}')?.issuer, 'http://127.0.0.1:9/x');
});

test('an e-mail may be trusted, though not one that any organization may name', () => {
  const entra = (tenant: string) =>
    `oidc: {issuer: "https://login.microsoftonline.com/${tenant}/v2.0", client_id: a, trust_email: true}`;
  assert.equal(read(entra('0198aaaa-0000-7000-8000-000000000000'))?.trustsEmail, true);
  for (const tenant of ['common', 'organizations', 'consumers', 'Common'])
    assert.match(refusal(entra(tenant)), /trust_email is set for an issuer of many organizations; set the issuer of/);
});

test('values of a claim have places, in the order of the file', () => {
  const roles = 'roles: {bosses: {operator: operator}, "acme dev": {account: "0198", role: developer}}';
  const settings = read(`oidc: {${GOOD}, role_claim: groups, ${roles}}`);
  assert.equal(settings?.roleClaim, 'groups');
  assert.deepEqual(
    [...(settings?.places ?? [])],
    [
      ['bosses', { accountId: null, role: 'operator' }],
      ['acme dev', { accountId: '0198', role: 'developer' }],
    ],
  );
});

test('what is missing or wrong is named, and the secret is not repeated', () => {
  assert.match(refusal('oidc: {client_id: sluice}'), /issuer is missing/);
  assert.match(refusal(`oidc: {${GOOD}}`, {}), /OIDC_CLIENT_SECRET is not; set it/);
  for (const issuer of ['id.example', 'http://id.example', 'https://me:pass@id.example', 'https://id.example?x=1'])
    assert.match(refusal(`oidc: {issuer: "${issuer}", client_id: a}`), /issuer is/);
  assert.match(refusal(`oidc: {${GOOD}, scope: email}`), /scope is "email"/);
  assert.match(refusal(`oidc: {${GOOD}, roles: {a: {operator: viewer}}}`), /role_claim is missing/);
  assert.match(refusal(`oidc: {${GOOD}, role_claim: g, roles: {a: {operator: boss}}}`), /make it operator, finance or/);
  assert.match(refusal(`oidc: {${GOOD}, role_claim: g, roles: {a: {role: owner}}}`), /account is missing/);
  assert.match(refusal(`oidc: {${GOOD}, role_claim: g, roles: {a: {account: 1, role: operator}}}`), /role/);
  assert.match(refusal(`oidc: {${GOOD}, isuer: x}`), /isuer is not a setting here/);
});
