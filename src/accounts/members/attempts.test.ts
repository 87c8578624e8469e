import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { ATTEMPT_MS_MAX, Attempts } from './attempts.ts';
import { newSecret } from './secrets.ts';

const MAX = 10;

for (const tested of testedDatabases) {
  describe(`attempts to sign in on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    let clock: ManualClock;
    let attempts: Attempts;
    before(async () => {
      opened = await openTested(tested);
      clock = new ManualClock();
      attempts = new Attempts({ db: opened.db, clock }, MAX);
    });
    after(() => opened.drop());
    const begun = async () => {
      const secret = newSecret();
      await attempts.begin('use-passkey', secret, { challenge: secret });
      return secret;
    };
    const take = (secret: string | null) => attempts.take('use-passkey', secret);
    const kept = async () => (await opened.db.knex('sign_in_attempts')).length;

    it('one is taken once, for what it was begun, with its secret alone', async () => {
      const secret = await begun();
      assert.equal(await attempts.take('add-passkey', secret), null);
      for (const wrong of [null, '', 'x', newSecret()]) assert.equal(await take(wrong), null);
      const taken = await Promise.all(Array.from({ length: 10 }, () => take(secret)));
      assert.deepEqual(
        taken.filter((one) => one !== null),
        [{ challenge: secret }],
      );
    });

    it('one ends after ten minutes, and the next one removes it', async () => {
      const [late, early] = [await begun(), await begun()];
      await clock.advance(ATTEMPT_MS_MAX - 1);
      assert.notEqual(await take(early), null);
      await clock.advance(1);
      assert.equal(await take(late), null);
      await begun();
      assert.equal(await kept(), 1);
    });

    it('of too many the oldest end', async () => {
      await clock.advance(ATTEMPT_MS_MAX);
      const first = await begun();
      await clock.advance(1);
      const others: string[] = [];
      for (let count = 0; count < MAX; count++) others.push(await begun());
      assert.equal(await take(first), null);
      for (const secret of others) assert.notEqual(await take(secret), null);
    });

    it('those that are begun at once do not disturb each other', async () => {
      await clock.advance(ATTEMPT_MS_MAX);
      const all = await Promise.all(Array.from({ length: MAX / 2 }, begun));
      for (const secret of all) assert.notEqual(await take(secret), null);
      assert.equal(await kept(), 0);
    });
  });
}
