import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operations } from '#generated/console-api/operations.ts';
import { useServer } from './support/server.ts';
import { COMMAND_LINE } from './support/test-operator.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const POD = { params: { id: 'tide-1' } };
const HOUR_MS = 3_600_000;

describe('tokens of the operator', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const tokens = () => server.operator.tokens;
  const newToken = async (...scopes: ('read' | 'operate' | 'money')[]) => {
    const wanted = { name: `script-${made++}`, scopes, expiresAtMs: server.clock.nowMs() + HOUR_MS };
    return tokens().create(wanted, COMMAND_LINE);
  };
  const bearing = (secret: string) => {
    const client = server.api.as(null);
    const headers = { authorization: `Bearer ${secret}` };
    return {
      call: <Id extends Parameters<typeof client.call>[0]>(id: Id, options: Parameters<typeof client.call>[1] = {}) =>
        client.call(id, { ...options, headers: { ...headers, ...options.headers } }),
    };
  };

  it('200 a pod is drained with a token alone, and the log names the token; nothing else of the request is needed', async () => {
    const { secret, token } = await newToken('operate', 'read');
    const script = bearing(secret);
    assert.equal((await script.call('drainPod', POD)).body(200).draining, true);
    const [pod] = (await script.call('listPods')).body(200).data;
    assert.equal(pod?.draining, true);
    assert.equal((await script.call('resumePod', POD)).body(200).draining, false);
    const rows = await server.operator.database
      .knex('audit_log')
      .where({ who: `token ${token.name}` })
      .orderBy('id');
    assert.deepEqual(
      rows.map(({ what }) => what),
      ['pod.drain', 'pod.resume'],
    );
  });

  it('403 missing_scope on every operation outside the scopes, which the message names, and nothing is changed', async () => {
    const one = { read: await newToken('read'), operate: await newToken('operate'), money: await newToken('money') };
    const { id } = await server.createAccount();
    for (const [operation, entry] of Object.entries(operations)) {
      if (!('tokenScope' in entry)) continue;
      for (const [scope, { secret }] of Object.entries(one)) {
        if (scope === entry.tokenScope) continue;
        const params = { id, key: NOBODY, member: NOBODY };
        const reply = await bearing(secret).call(operation as 'drainPod', { params });
        const { message } = reply.refusal(403, 'missing_scope');
        assert.equal(message, `This operator token lacks the scope ${entry.tokenScope}.`, operation);
      }
    }
    const money = bearing(one.money.secret);
    const body = { amount_usd: '10', idempotency_key: 'k' };
    assert.equal((await money.call('creditAccount', { params: { id }, body })).body(200).balance_usd, 110);
  });

  it('401 for a token that ended, was revoked or was never made, and on the settings of members', async () => {
    const expiresAtMs = server.clock.nowMs() + 2_000;
    const { secret, token } = await tokens().create({ name: 'brief', scopes: ['read'], expiresAtMs }, COMMAND_LINE);
    const script = bearing(secret);
    (await script.call('listPods')).body(200);
    (await script.call('getSession')).refusal(401, 'not_signed_in');
    (await script.call('listKeys')).refusal(401, 'not_signed_in');
    (await bearing(`sluice-op-${'x'.repeat(43)}`).call('listPods')).refusal(401, 'not_signed_in');
    (await bearing(secret.toUpperCase()).call('listPods')).refusal(401, 'not_signed_in');
    await server.pass(2_000);
    (await script.call('listPods')).refusal(401, 'not_signed_in');
    const other = await newToken('read');
    await tokens().revoke(other.token.name, COMMAND_LINE);
    (await bearing(other.secret).call('listPods')).refusal(401, 'not_signed_in');
    assert.equal((await tokens().revoke(other.token.id, COMMAND_LINE)).name, other.token.name);
    const row = await server.operator.database.knex('operator_tokens').where({ id: token.id }).first();
    assert.ok(!Object.values(row).join(' ').includes(secret.slice(-43)), 'the secret is stored');
  });

  it('403 without TLS from elsewhere, and 429 for a token that asks too often', async () => {
    const { secret } = await newToken('read');
    const script = bearing(secret);
    (await script.call('listPods', { headers: { host: 'gateway.example' } })).refusal(403, 'needs_tls');
    for (let count = 0; count < 240; count++) await script.call('listPods');
    (await script.call('listPods')).refusal(429, 'rate_limit_error');
  });

  it('a token needs a new name, a scope and an end within a year', async () => {
    const { token } = await newToken('read');
    const expiresAtMs = server.clock.nowMs() + HOUR_MS;
    const right = { name: 'right', scopes: ['read'], expiresAtMs } as const;
    for (const wrong of [
      { name: token.name },
      { name: token.name.toUpperCase() },
      { name: '' },
      { name: 'ada@example.com' },
      { scopes: [] },
      { expiresAtMs: server.clock.nowMs() },
      { expiresAtMs: server.clock.nowMs() + 367 * 24 * HOUR_MS },
    ])
      await assert.rejects(tokens().create({ ...right, ...wrong }, COMMAND_LINE), { code: 'invalid_request' });
    await assert.rejects(tokens().revoke('nothing', COMMAND_LINE), { code: 'not_found' });
  });
});
