/** Invitations that meet: an address belongs to one place, however many invite it at once, from however many gateways. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { Accounts } from '../account/account-store.ts';
import { Keys } from '../keys/key-store.ts';
import { Members } from './member-store.ts';

for (const tested of testedDatabases) {
  describe(`members on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    const clock = new ManualClock();
    const places: string[] = [];
    const gateway = () => new Members({ db: opened.db, clock, ids: idSource(clock) });
    before(async () => {
      opened = await openTested(tested);
      const accounts = new Accounts({ db: opened.db, clock, ids: idSource(clock) });
      for (const name of Array.from({ length: 12 }, (_, index) => `Account ${index}`)) {
        const { id } = await accounts.create({ name }, COMMAND_LINE);
        await gateway().invite(`owner-${id}@example.com`, { accountId: id, role: 'owner' }, COMMAND_LINE);
        places.push(id);
      }
    });
    after(() => opened?.drop());
    const ownerOf = (accountId: string) => ({ email: `owner-${accountId}@example.com`, accountId });

    it('a new address that twelve accounts invite at once becomes a member of one, and the others do not learn it', async () => {
      for (let round = 0; round < 20; round++) {
        const email = `new-${round}@example.com`;
        await Promise.all(
          places.map((accountId) => gateway().invite(email, { accountId, role: 'viewer' }, ownerOf(accountId))),
        );
        const rows = async (table: string) => (await opened.db.knex(table).where({ email })).length;
        assert.deepEqual([await rows('members'), await rows('held_invitations')], [1, places.length - 1]);
      }
    });

    it('an address that one account invites several times at once is one member, and the last link works', async () => {
      for (let round = 0; round < 10; round++) {
        const email = `again-${round}@example.com`;
        const place = { accountId: places[0] ?? '', role: 'viewer' } as const;
        await Promise.all([1, 2, 3].map(() => gateway().invite(email, place, ownerOf(place.accountId))));
        const [member, ...others] = await opened.db.knex('members').where({ email });
        assert.deepEqual(others, []);
        assert.equal((await opened.db.knex('member_links').where({ member_id: member.id })).length, 1);
      }
    });

    it('a removed member takes its keys along, also one that is made at the same moment; those of others stay', async () => {
      const keys = new Keys({ db: opened.db, clock, ids: idSource(clock) });
      const accountId = places[0] ?? '';
      const by = ownerOf(accountId);
      for (let round = 0; round < 10; round++) {
        const email = `leaves-${round}@example.com`;
        const { member } = await gateway().invite(email, { accountId, role: 'developer' }, by);
        const { key } = await keys.create(accountId, { member: email }, COMMAND_LINE);
        const { key: free } = await keys.create(accountId, {}, COMMAND_LINE);
        const [made] = await Promise.allSettled([
          keys.create(accountId, { member: email }, COMMAND_LINE),
          gateway().remove({ accountId, id: member.id }, by),
        ]);
        const active = (await keys.list(accountId)).filter(({ revokedAtMs }) => revokedAtMs === null);
        assert.deepEqual(
          active.map(({ id }) => id),
          [free.id],
        );
        if (made.status === 'rejected') assert.equal(made.reason.code, 'invalid_request');
        const logged = await opened.db.knex('audit_log').where({ subject: key.id });
        assert.deepEqual(
          logged.map(({ what, who }) => [what, who]),
          [['key.revoke', by.email]],
        );
        await keys.revoke(free.id, COMMAND_LINE);
      }
    });
  });
}
