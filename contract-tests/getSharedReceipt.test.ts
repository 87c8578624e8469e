import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NO_TOKEN = 'A'.repeat(43);
const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const SECRET = 'a prompt that nobody may see';

describe('GET /v1/receipts/{token}, and the links that members make', () => {
  const server = useServer({ trust_proxy: 1 });
  itSurvivesAnOutage(server, 'getSharedReceipt', { params: { token: NO_TOKEN } });
  itHasARate('public_requests_per_minute_per_address', 'getSharedReceipt', { params: { token: NO_TOKEN } });

  let made = 0;
  const newcomer = async (role: 'owner' | 'developer' | 'viewer' = 'developer') => {
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const member = async (as: typeof role) => {
      const token = await server.operator.invite(`sharing-${made++}@example.com`, { accountId: account.id, role: as });
      return BrowserSession.open(server.api, token);
    };
    const messages = [{ role: 'user', content: SECRET }];
    const { orderId } = await api.call('createChatCompletion', { body: { ...chat(), messages } });
    return { ...account, api, member, browser: await member(role), orderId };
  };
  type Member = Pick<Awaited<ReturnType<typeof newcomer>>, 'browser' | 'orderId'>;
  const get = (token: string) => server.api.call('getSharedReceipt', { key: null, params: { token } });
  const share = ({ browser, orderId: id }: Member) => browser.call('shareMemberReceipt', { params: { id } });
  const revoke = ({ browser, orderId: id }: Member) => browser.call('revokeMemberReceipt', { params: { id } });
  const shown = async ({ browser, orderId: id }: Member) =>
    (await browser.call('showMemberOrder', { params: { id } })).body(200).receipt_token;
  const logged = async (subject: string) =>
    (await server.operator.database.knex('audit_log').where({ subject }).orderBy('id')).map(({ what }) => what);

  it('200 the receipt of the order to anybody, with no prompt, account or key', async () => {
    const mine = await newcomer();
    assert.equal(await shown(mine), null);
    const { token } = (await share(mine)).body(200);
    assert.equal((await share(mine)).body(200).token, token, 'asked again, it is the same link');
    assert.equal(await shown(mine), token);
    const reply = await get(token);
    const receipt = (await mine.api.call('getOrderReceipt', { params: { id: mine.orderId } })).body(200);
    assert.deepEqual(reply.body(200), receipt);
    assert.equal(reply.headers['cache-control'], 'no-store');
    const all =
      reply.text +
      JSON.stringify(reply.headers) +
      atob((receipt.jws.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
    const { name, hint } = (await mine.browser.call('listKeys')).body(200).data[0] ?? { name: '', hint: '' };
    for (const private_ of [SECRET, mine.id, mine.key, mine.keyId, hint, `"${name}"`])
      assert.ok(!all.includes(private_), private_);
    assert.deepEqual(await logged(mine.orderId), ['receipt.share']);
  });

  it('404 after the link was revoked, for good; another link has another token', async () => {
    const mine = await newcomer();
    const { token } = (await share(mine)).body(200);
    assert.equal((await revoke(mine)).status, 204);
    (await get(token)).refusal(404, 'not_found');
    assert.equal((await revoke(mine)).status, 204, 'without a link nothing changes');
    assert.equal(await shown(mine), null);
    const next = (await share(mine)).body(200).token;
    assert.notEqual(next, token);
    (await get(next)).body(200);
    (await get(token)).refusal(404, 'not_found');
    assert.deepEqual(await logged(mine.orderId), ['receipt.share', 'receipt.revoke', 'receipt.share']);
  });

  it('404 for tokens that are none', async () => {
    for (const token of [NO_TOKEN, 'x', "' OR '1'='1", NOBODY]) (await get(token)).refusal(404, 'not_found');
  });

  it('404 for the order of another account, 409 for one without a receipt, 403 for a viewer', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    for (const orderId of [theirs.orderId, NOBODY, 'x']) {
      (await share({ ...mine, orderId })).refusal(404, 'not_found');
      (await revoke({ ...mine, orderId })).refusal(404, 'not_found');
    }
    const body = chat({ model: 'reef', detached: true });
    const { orderId } = await mine.api.call('createChatCompletion', { body });
    (await share({ ...mine, orderId })).refusal(409, 'order_not_settled');
    (await mine.api.call('cancelOrder', { params: { id: orderId } })).body(200);
    const viewer = { ...mine, browser: await mine.member('viewer') };
    (await share(viewer)).refusal(403, 'role_refused');
    (await revoke(viewer)).refusal(403, 'role_refused');
  });

  it('404 when its account is closed', async () => {
    const mine = await newcomer('owner');
    const { token } = (await share(mine)).body(200);
    const { account } = (await mine.browser.call('getSession')).body(200);
    await mine.browser.call('closeAccount', { body: { name: account?.name ?? '' } });
    (await get(token)).refusal(404, 'not_found');
  });
});
