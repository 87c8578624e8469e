import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { MEMBERS_MAX, Members } from './member-store.ts';
import { type OpenedSession, SESSIONS_PER_MEMBER, Sessions } from './sessions.ts';

const PLACE = { address: '10.0.0.7', agent: 'test', cookie: null };
const OPERATOR = { accountId: null, role: 'operator' } as const;

for (const tested of testedDatabases) {
  describe(`sessions on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let clock: ManualClock;
    let members: Members;
    let sessions: Sessions;
    let made = 0;
    before(async () => {
      opened = await openTested(tested);
      clock = new ManualClock();
      const ids = idSource(clock);
      members = new Members({ db: opened.db, clock, ids });
      sessions = new Sessions({ db: opened.db, clock, ids });
    });
    after(() => opened.drop());

    const invite = async (email = `member-${made++}@example.com`) =>
      (await members.invite(email, OPERATOR, COMMAND_LINE)).link?.token ?? '';
    const open = async (email?: string): Promise<OpenedSession> => sessions.openByLink(await invite(email), PLACE);
    const logged = async (what: string) => opened.db.knex('audit_log').where({ what }).orderBy('id');

    it('a session that is used every few hours lasts seven days and not a millisecond longer', async () => {
      const { cookie } = await open();
      for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
        await clock.advance(6 * HOUR_MS);
        await sessions.find(cookie);
      }
      await clock.advance(6 * HOUR_MS - 1);
      await sessions.find(cookie);
      await clock.advance(1);
      await assert.rejects(sessions.find(cookie), { code: 'not_signed_in' });
    });

    it('a session that nobody uses ends after twelve hours', async () => {
      const { cookie } = await open();
      await clock.advance(12 * HOUR_MS - 1);
      await sessions.find(cookie);
      await clock.advance(12 * HOUR_MS);
      await assert.rejects(sessions.find(cookie), { code: 'not_signed_in' });
    });

    it('its use is written at most once a minute', async () => {
      const { cookie, signedIn } = await open();
      await clock.advance(MINUTE_MS - 1);
      await sessions.find(cookie);
      assert.equal((await sessions.find(cookie)).session.seenAtMs, signedIn.session.openedAtMs);
      await clock.advance(1);
      await sessions.find(cookie);
      assert.equal((await sessions.find(cookie)).session.seenAtMs, clock.nowMs());
    });

    it('a link works for 24 hours and once', async () => {
      const [late, early] = [await invite(), await invite()];
      await clock.advance(DAY_MS - 1);
      await sessions.openByLink(early, PLACE);
      await assert.rejects(sessions.openByLink(early, PLACE), { code: 'sign_in_failed' });
      await clock.advance(1);
      await assert.rejects(sessions.openByLink(late, PLACE), { code: 'sign_in_failed' });
    });

    it('of many who enter a link at once one gets in', async () => {
      const token = await invite();
      const tries = await Promise.allSettled(Array.from({ length: 20 }, () => sessions.openByLink(token, PLACE)));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    it('a member keeps a bounded number of sessions, the newest', async () => {
      const email = 'many@example.com';
      const all: OpenedSession[] = [];
      for (let count = 0; count <= SESSIONS_PER_MEMBER; count++) {
        all.push(await open(email));
        await clock.advance(1);
      }
      const [oldest, second] = all;
      assert.ok(oldest && second);
      await assert.rejects(sessions.find(oldest.cookie), { code: 'not_signed_in' });
      await sessions.find(second.cookie);
    });

    it('a member ends its own sessions and nobody else’s', async () => {
      const [mine, theirs] = [await open(), await open()];
      const id = theirs.signedIn.session.id;
      await assert.rejects(sessions.end(mine.signedIn, id), { code: 'not_found' });
      await sessions.find(theirs.cookie);
      await sessions.end(theirs.signedIn, id);
      await assert.rejects(sessions.find(theirs.cookie), { code: 'not_signed_in' });
    });

    it('a session that ended while its password was hashed sets none', async () => {
      const email = 'ended@example.com';
      const [mine, other] = [await open(email), await open(email)];
      const { knex } = opened.db;
      // The request was found signed in before that; only the transaction behind the hash looks again.
      await sessions.end(other.signedIn, mine.signedIn.session.id);
      const setting = sessions.setPassword(mine.signedIn, 'correct horse battery', null);
      await assert.rejects(setting, { code: 'not_signed_in' });
      assert.equal((await knex('members').where({ email }).first()).password_hash, null);
      await sessions.find(other.cookie);
    });

    it('the audit log says who was invited, signed in and removed, by whom', async () => {
      const email = 'Logged@Example.com';
      await open(email);
      await members.invite(email, { accountId: null, role: 'viewer' }, { email: 'boss@example.com', accountId: null });
      await members.remove(email, COMMAND_LINE);
      const [invited, again] = [(await logged('member.invite')).at(-1), (await logged('member.link')).at(-1)];
      const known = { email: 'logged@example.com', role: 'operator' };
      assert.deepEqual([invited.who, invited.before_json, JSON.parse(invited.after_json)], [COMMAND_LINE, null, known]);
      assert.deepEqual([again.who, JSON.parse(again.before_json)], ['boss@example.com', known]);
      assert.deepEqual(JSON.parse(again.after_json), { ...known, role: 'viewer' });
      const signedIn = (await logged('session.open')).at(-1);
      assert.deepEqual([signedIn.who, JSON.parse(signedIn.after_json).address], ['logged@example.com', '10.0.0.7']);
      const removed = (await logged('member.remove')).at(-1);
      assert.deepEqual([JSON.parse(removed.before_json).role, removed.after_json], ['viewer', null]);
    });

    it('an account has a bounded number of members, and a new link is no new one', async () => {
      const account = await accountOf(opened, '0199aaaa-0000-7000-8000-00000000000b');
      const place = { accountId: account, role: 'viewer' } as const;
      for (let count = 0; count < MEMBERS_MAX; count++)
        await members.invite(`m${count}@b.example`, place, COMMAND_LINE);
      await assert.rejects(members.invite('more@b.example', place, COMMAND_LINE), /100 members already/);
      await members.invite('m7@b.example', place, COMMAND_LINE);
      await members.remove('m7@b.example', COMMAND_LINE);
      await members.invite('more@b.example', place, COMMAND_LINE);
    });

    it('an account keeps an owner, also when two end each other at once', async () => {
      const account = await accountOf(opened, '0199aaaa-0000-7000-8000-00000000000c');
      const owners = ['first@c.example', 'second@c.example'];
      for (const end of ['removed', 'demoted'] as const) {
        for (const email of owners) await members.invite(email, { accountId: account, role: 'owner' }, COMMAND_LINE);
        const [first, second] = await members.list(account);
        assert.ok(first && second);
        const endedBy = ({ id, email }: typeof first, by: typeof first) =>
          end === 'removed'
            ? members.remove({ accountId: account, id }, by)
            : members.invite(email, { accountId: account, role: 'viewer' }, by);
        const ends = await Promise.allSettled([endedBy(first, second), endedBy(second, first)]);
        assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
        assert.equal((await members.list(account)).filter(({ role }) => role === 'owner').length, 1);
      }
    });

    it('an address belongs to one place, and must be one', async () => {
      await invite('one@example.com');
      const account = '0199aaaa-0000-7000-8000-000000000000';
      const place = { accountId: account, role: 'owner' } as const;
      await assert.rejects(members.invite('two@example.com', place, COMMAND_LINE), /no account/);
      await accountOf(opened, account);
      await assert.rejects(members.invite('ONE@example.com', place, COMMAND_LINE), /is a member elsewhere/);
      await members.invite('two@example.com', place, COMMAND_LINE);
      assert.deepEqual(
        (await members.list(account)).map(({ email, role }) => [email, role]),
        [['two@example.com', 'owner']],
      );
      for (const address of ['', 'x', '@', 'a b@c', 'a@b\u202e', `${'a'.repeat(250)}@b.de`])
        await assert.rejects(members.invite(address, OPERATOR, COMMAND_LINE), { code: 'invalid_request' }, address);
      await assert.rejects(members.remove('nobody@example.com', COMMAND_LINE), { code: 'not_found' });
    });
  });
}

async function accountOf({ db }: OpenedDatabase, id: string): Promise<string> {
  await db.knex('accounts').insert({
    ...{ id, name: 'A', status: 'active', balance: '0', held: '0', price_limits: '{}', price_lock: 0 },
    ...{ order_timeout_s: 600, retention_days: 30, log_payloads: 0, house: 0, created_at_ms: 0 },
  });
  return id;
}
