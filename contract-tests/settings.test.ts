/**
 * What holds for every operation of openapi/console.yaml that members call: who may call it is what `x-roles` says, and
 * nobody else may; an account's member sees its own account alone; and each refusal is the same everywhere.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type OperationId, operations } from '#generated/console-api/operations.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import type { RequestOptions } from './support/client.ts';
import { useServer } from './support/server.ts';

const PLACES = [
  ...(['owner', 'developer', 'viewer'] as const).map((role) => ({ side: 'account', role }) as const),
  ...(['operator', 'finance', 'viewer'] as const).map((role) => ({ side: 'operator', role }) as const),
];
const OWNER = { side: 'account', role: 'owner' } as const;
const OPERATOR = { side: 'operator', role: 'operator' } as const;
/** Passkeys need a host with a name. */
const NAMED = { host: 'localhost' };
const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
/** What makes each request otherwise valid; a change is aimed at what does not exist. */
const REQUESTS: Partial<Record<OperationId, RequestOptions>> = {
  createKey: { body: { name: 'laptop' } },
  startCheckout: { body: { amount_usd: 20 } },
  updateKey: { params: { id: NOBODY }, body: { name: 'desk' } },
  rotateKey: { params: { id: NOBODY }, body: { overlap_seconds: 60 } },
  revokeKey: { params: { id: NOBODY } },
  showMemberOrder: { params: { id: NOBODY } },
  showMemberReceipt: { params: { id: NOBODY } },
  showMemberRequest: { params: { id: NOBODY } },
  shareMemberReceipt: { params: { id: NOBODY } },
  revokeMemberReceipt: { params: { id: NOBODY } },
  cancelMemberOrder: { params: { id: NOBODY } },
  repriceMemberOrders: { body: { ids: [NOBODY], price_limit: 1 } },
  cancelMemberBatch: { params: { id: `batch_${'0'.repeat(24)}` } },
  getMemberFile: { params: { id: `file-${'0'.repeat(32)}` } },
  revokeSession: { params: { id: NOBODY } },
  createAccount: { body: { name: 'New' } },
  foretellLevel: { query: { slots: '4' } },
  showAccount: { params: { id: NOBODY } },
  suspendAccount: { params: { id: NOBODY } },
  resumeAccount: { params: { id: NOBODY } },
  creditAccount: { params: { id: NOBODY }, body: { amount_usd: '25', idempotency_key: 'k' } },
  refundAccount: { params: { id: NOBODY }, body: { amount_usd: '25', idempotency_key: 'k', reason: 'r' } },
  debitAccount: { params: { id: NOBODY }, body: { amount_usd: '25', idempotency_key: 'k', reason: 'r' } },
  drainPod: { params: { id: NOBODY } },
  resumePod: { params: { id: NOBODY } },
  addPod: { body: { model: 'nothing', pod: 'added-1', address: 'http://127.0.0.1:9/v1', slots: 2 } },
  removePod: { params: { id: NOBODY } },
  setPodSlots: { params: { id: NOBODY }, body: { slots: 2 } },
  inviteMember: { body: { email: 'new@example.com', role: 'viewer' } },
  removeMember: { params: { id: NOBODY } },
  listAccountOrders: { query: { account: NOBODY } },
  acknowledgeFinding: { body: { finding_id: 'none', reason: 'None.' } },
  listAccountEntries: { params: { id: NOBODY } },
  listAccountDays: { params: { id: NOBODY } },
  listAccountKeys: { params: { id: NOBODY } },
  revokeAccountKey: { params: { id: NOBODY, key: NOBODY } },
  listAccountMembers: { params: { id: NOBODY } },
  inviteAccountMember: { params: { id: NOBODY }, body: { email: 'new@example.com', role: 'viewer' } },
  removeAccountMember: { params: { id: NOBODY, member: NOBODY } },
  showOrderRequest: { params: { id: NOBODY } },
  showOrder: { params: { id: NOBODY } },
  getStatement: { params: { month: '2025-01' } },
  changeAutomaticTopUp: {
    body: { enabled: false, threshold_usd: 10, amount_usd: 20, per_day_max: 1, month_max_usd: 100 },
  },
  createWebhook: { body: { url: 'https://example.com/hooks', events: ['order.done'] } },
  updateWebhook: { params: { id: NOBODY }, body: { enabled: false } },
  removeWebhook: { params: { id: NOBODY } },
  rotateWebhook: { params: { id: NOBODY }, body: { overlap_seconds: 60 } },
  testWebhook: { params: { id: NOBODY } },
  resendWebhookDelivery: { params: { id: NOBODY, event_id: 'evt_none' } },
  listWebhookDeliveries: { params: { id: NOBODY } },
  setAlerts: { body: { below_usd: [5] } },
  createAlertRule: { body: { subject: 'balance', bound: 5, target_id: NOBODY } },
  updateAlertRule: { params: { id: NOBODY }, body: { paused: true } },
  removeAlertRule: { params: { id: NOBODY } },
  createAlertTarget: { body: { channel: 'slack', address: 'https://example.com/hooks' } },
  removeAlertTarget: { params: { id: NOBODY } },
  renewAlertTarget: { params: { id: NOBODY } },
  testAlertTarget: { params: { id: NOBODY } },
  listAlertDeliveries: { params: { id: NOBODY } },
  closeAccount: { body: { name: 'Not its name' } },
  updateStorage: { body: { retention_days: 30 } },
  askForPasskey: { headers: NAMED },
  addPasskey: {
    headers: NAMED,
    body: {
      name: 'Laptop',
      credential: { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: '', attestationObject: '' } },
    },
  },
  renamePasskey: { params: { id: NOBODY }, body: { name: 'Laptop' } },
  removePasskey: { params: { id: NOBODY } },
  setPassword: { body: { password: 'correct horse battery' } },
};

const ofMembers = Object.entries(operations)
  .flatMap(([id, entry]) => ('roles' in entry ? [{ id: id as OperationId, ...entry }] : []))
  // It ends the session of the test.
  .filter(({ id }) => id !== 'signOut');

/** Who may do what only some may: the owner of an account, or else the operator. */
const placeOf = (roles: { readonly account: readonly string[] }) => (roles.account.length > 0 ? OWNER : OPERATOR);

describe('settings', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  let account: { id: string; key: string };
  const signIn = async (place: (typeof PLACES)[number], accountId = account.id) => {
    const where =
      place.side === 'account'
        ? ({ accountId, role: place.role } as const)
        : ({ accountId: null, role: place.role } as const);
    return BrowserSession.open(server.api, await server.operator.invite(`member-${made++}@example.com`, where));
  };
  before(async () => {
    account = await server.createAccount();
  });

  for (const place of PLACES) {
    it(`${place.role} of the ${place.side}: every operation answers or refuses as x-roles says`, async () => {
      const browser = await signIn(place);
      for (const { id, roles } of ofMembers) {
        const allowed: readonly string[] = roles[place.side];
        const reply = await browser.call(id, REQUESTS[id]);
        // Nobody was asked for a passkey that this one could be.
        if (id === 'addPasskey') reply.refusal(400, 'invalid_request');
        else if (allowed.includes(place.role))
          assert.ok([200, 201, 202, 204, 404].includes(reply.status), `${id}: ${reply.text}`);
        else reply.refusal(403, 'role_refused');
      }
    });
  }

  for (const { id, roles } of ofMembers) {
    it(`401 ${id} without a session, with a key, and 403 from another host; 503 without a database`, async () => {
      const request = REQUESTS[id] ?? {};
      const stranger = new BrowserSession(server.api);
      (await stranger.call(id, request)).refusal(401, 'not_signed_in');
      const headers = { authorization: `Bearer ${account.key}` };
      (await stranger.call(id, { ...request, headers })).refusal(401, 'not_signed_in');
      (await stranger.call(id, { ...request, headers: { host: 'evil.example' } })).refusal(403, 'needs_tls');
      const browser = await signIn(placeOf(roles));
      await server.withoutDatabase(async () => (await browser.call(id, request)).refusal(503, 'unavailable'));
    });
  }

  it('429 every operation of a member who asks too often', async () => {
    const browser = await signIn(OWNER);
    for (let count = 0; count < 240; count++) await browser.call('getSession');
    for (const { id } of ofMembers) {
      const reply = await browser.call(id, REQUESTS[id]);
      reply.refusal(429, 'rate_limit_error');
      assert.equal(reply.headers['retry-after'], '1', id);
    }
  });

  it('403 every change without the CSRF token, or with that of another member', async () => {
    const [owners, operators] = [
      [await signIn(OWNER), await signIn(OWNER)],
      [await signIn(OPERATOR), await signIn(OPERATOR)],
    ] as const;
    for (const { id, roles } of ofMembers.filter(({ security }) => security.startsWith('session-csrf'))) {
      const [browser, other] = placeOf(roles) === OWNER ? owners : operators;
      for (const token of ['', other.csrf ?? ''])
        (await browser.call(id, { ...REQUESTS[id], headers: { 'x-csrf-token': token } })).refusal(
          403,
          'forged_request',
        );
    }
  });

  it('200 the balance of the own account, to the nano-dollar, while an order runs', async () => {
    const { id, key } = await server.createAccount({ creditUsd: 12.5 });
    const browser = await signIn({ side: 'account', role: 'viewer' }, id);
    const before = (await browser.call('getBalance')).body(200);
    const money = { balance_usd: 12.5, held_usd: 0, free_usd: 12.5, owed_usd: 0, burn_usd_per_day: 0 };
    assert.deepEqual(before, { object: 'balance', ...money, days_left: null });
    const release = server.holdAnswers();
    const api = server.api.as(key);
    const order = api.call('createChatCompletion', { body: chat() });
    await server.orders({ executing: 1 }, api);
    const { balance_usd, held_usd, free_usd } = (await browser.call('getBalance')).body(200);
    assert.ok(held_usd > 0);
    assert.equal(Math.round((balance_usd - held_usd) * 1e9), Math.round(free_usd * 1e9));
    release();
    (await order).body(200);
  });

  it('200 the orders of the own account alone, as /v1 lists them; 400 for a filter that is none', async () => {
    const [mine, theirs] = [await server.createAccount(), await server.createAccount()];
    const placed = (await server.api.as(mine.key).call('createChatCompletion', { body: chat() })).orderId;
    const browser = await signIn({ side: 'account', role: 'developer' }, mine.id);
    const query = { include: 'totals,counts', limit: 5 };
    const listed = (await browser.call('listMemberOrders', { query })).body(200);
    assert.deepEqual(listed.list, (await server.api.as(mine.key).call('listOrders', { query })).body(200));
    assert.equal(listed.list.data[0]?.id, placed);
    const stranger = await signIn({ side: 'account', role: 'owner' }, theirs.id);
    for (const search of [{}, { id: placed }])
      assert.deepEqual((await stranger.call('listMemberOrders', { query: search })).body(200).list.data, []);
    const wrong = await browser.call('listMemberOrders', { query: { status: 'lost' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'status');
  });

  it('200 my sessions, newest first; 204 ends one at once; 404 for one of another member', async () => {
    const email = 'twice@example.com';
    const place = { accountId: account.id, role: 'viewer' } as const;
    const open = async () => BrowserSession.open(server.api, await server.operator.invite(email, place));
    const [first, second] = [await open(), await open()];
    const { data } = (await second.call('listSessions', { headers: { 'user-agent': 'x' } })).body(200);
    assert.deepEqual(
      data.map(({ current, method }) => [current, method]),
      [
        [true, 'link'],
        [false, 'link'],
      ],
    );
    assert.match(data[0]?.address ?? '', /^10\.7\./);
    const stranger = await signIn(OWNER);
    const id = data[1]?.session_id ?? '';
    (await stranger.call('revokeSession', { params: { id } })).refusal(404, 'not_found');
    (await first.call('getSession')).body(200);
    assert.equal((await second.call('revokeSession', { params: { id } })).status, 204);
    (await first.call('getSession')).refusal(401, 'not_signed_in');
    (await second.call('revokeSession', { params: { id } })).refusal(404, 'not_found');
    const row = (await server.operator.database.knex('audit_log').where({ what: 'session.end' })).at(-1);
    assert.deepEqual([row.who, row.subject], [email, id]);
  });
});
