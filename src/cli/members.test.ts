import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { inviteMember, listMembers, removeMember, showChanges } from './members.ts';
import { type OperatorStore, withOperatorStore } from './operator-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-members-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

function fresh<Value>(use: (store: OperatorStore) => Promise<Value>): Promise<Value> {
  return withOperatorStore(`sqlite:${join(folder, `${databases++}.sqlite`)}`, use);
}

const url = 'https://gateway.example/';

test('member invite prints a link whose secret no server sees, and says what it gives', () =>
  fresh(async (store) => {
    const { id } = await store.accounts.create({ name: 'Ada' }, COMMAND_LINE);
    const { json, text } = await inviteMember(store, { email: 'Ada@Example.com', account: id, url });
    assert.match(String(json.link), /^https:\/\/gateway\.example\/settings\/sign-in#[0-9A-Za-z]{43}$/);
    assert.ok(text.includes(String(json.link)));
    assert.match(text, /It signs ada@example\.com in as owner of account/);
    const viewer = await inviteMember(store, { email: 'eve@example.com', account: id, role: 'viewer', url });
    assert.equal(viewer.json.role, 'viewer');
    const operator = await inviteMember(store, { email: 'op@example.com', operator: 'finance', url });
    assert.deepEqual([operator.json.account_id, operator.json.role], [null, 'finance']);
  }));

test('member list shows who may sign in where, and no secret; member remove takes one away', () =>
  fresh(async (store) => {
    assert.equal((await listMembers(store)).text, 'There is no member yet.');
    const { id } = await store.accounts.create({ name: 'Ada' }, COMMAND_LINE);
    const { json } = await inviteMember(store, { email: 'ada@example.com', account: id, url });
    await inviteMember(store, { email: 'op@example.com', operator: 'operator', url });
    const all = await listMembers(store);
    assert.match(all.text, /op@example\.com +operator/);
    assert.ok(!JSON.stringify(all).includes(String(json.token)));
    assert.equal((await listMembers(store, id)).text.includes('op@example.com'), false);
    assert.match((await removeMember(store, 'ada@example.com')).text, /ada@example\.com.* is no member any more/);
    assert.deepEqual((await listMembers(store, id)).json.members, []);
    await assert.rejects(removeMember(store, 'ada@example.com'), /There is no member ada@example\.com/);
  }));

test('member log shows the newest changes first, all or those of an account, and no secret', () =>
  fresh(async (store) => {
    assert.equal((await showChanges(store, { limit: '50' })).text, 'Nothing was changed yet.');
    const { id } = await store.accounts.create({ name: 'Ada' }, COMMAND_LINE);
    const { json } = await inviteMember(store, { email: 'ada@example.com', account: id, url });
    await inviteMember(store, { email: 'op@example.com', operator: 'operator', url });
    await removeMember(store, 'ada@example.com');
    const all = await showChanges(store, { limit: '50' });
    const changes = all.json.changes as { what: string; who: string; account_id: string | null }[];
    assert.deepEqual(
      changes.map(({ what, who, account_id }) => [what, who, account_id]),
      [
        ['member.remove', 'command line', id],
        ['member.invite', 'command line', null],
        ['member.invite', 'command line', id],
      ],
    );
    assert.ok(!JSON.stringify(all).includes(String(json.token)));
    assert.match(all.text, /member\.invite +\S+ +\{"email":"op@example\.com","role":"operator"\}/);
    assert.equal(((await showChanges(store, { account: id, limit: '1' })).json.changes as unknown[]).length, 1);
    assert.equal(((await showChanges(store, { account: id, limit: '9' })).json.changes as unknown[]).length, 2);
    for (const limit of ['0', '-1', 'x', '1.5', '99999'])
      await assert.rejects(showChanges(store, { limit }), /--limit takes a whole number/);
  }));

test('a place that is missing, doubled or unknown is refused in one sentence', () =>
  fresh(async (store) => {
    const email = 'ada@example.com';
    await assert.rejects(inviteMember(store, { email, url }), /Say where: --account ID/);
    await assert.rejects(inviteMember(store, { email, account: 'a', operator: 'viewer', url }), /Say where/);
    await assert.rejects(inviteMember(store, { email, account: 'a', role: 'boss', url }), /--role takes owner, dev/);
    await assert.rejects(inviteMember(store, { email, operator: 'owner', url }), /--operator takes operator, fin/);
    await assert.rejects(inviteMember(store, { email, account: 'nobody', url }), /no account "nobody"/);
    await assert.rejects(inviteMember(store, { email: 'ada', operator: 'viewer', url }), /must be an address/);
  }));
