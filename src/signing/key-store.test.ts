/** Keys that gateways share, as they come and go, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '#storage/database/database.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { SigningKeyStore } from './key-store.ts';
import { Signer } from './signer.ts';
import { newSigningKey } from './signing-key.ts';
import { readKeySet, verifyStatement } from './verify.ts';

const clock = new ManualClock(Date.UTC(2026, 0, 1));

for (const tested of testedDatabases) {
  describe(`signing keys on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    const signer = (ownKey: string | null = null, db = opened.db) =>
      new Signer({ store: new SigningKeyStore(db), ownKey, clock });
    const kidOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()).kid;
    const rotate = () => new SigningKeyStore(opened.db).add(newSigningKey(clock.nowMs()));
    const verify = async (jws: string) => verifyStatement(jws, readKeySet(JSON.stringify(await signer().keySet())));

    test('several gateways that start at once make one key, which names the issuer', async () => {
      // A SQLite file has one gateway.
      const other = tested.name === 'SQLite' ? opened.db : openDatabase(opened.url);
      const gateways = [signer(), signer(null, other), signer(), signer(null, other)];
      const statements = await Promise.all(gateways.map((gateway) => gateway.sign('receipt', {})));
      if (other !== opened.db) await other.close();
      const { issuer, keys } = await signer().keySet();
      assert.equal(keys.length, 1);
      assert.equal(issuer, `urn:sluice:${keys[0]?.kid}`);
      assert.deepEqual(new Set(statements.map(({ jws }) => kidOf(jws))), new Set([keys[0]?.kid]));
    });

    test('after a rotation the new key signs, for the same issuer, and what the earlier one signed still verifies', async () => {
      const [earlier, before] = [await signer().sign('receipt', { n: 1 }), await signer().keySet()];
      await rotate();
      const [later, now] = [await signer().sign('receipt', { n: 2 }), await signer().keySet()];
      assert.notEqual(kidOf(later.jws), kidOf(earlier.jws));
      assert.equal(kidOf(later.jws), now.keys[0]?.kid);
      assert.deepEqual([now.issuer, now.keys.slice(1)], [before.issuer, before.keys]);
      assert.deepEqual((await verify(earlier.jws)).claims, { iss: now.issuer, n: 1 });
      assert.deepEqual((await verify(later.jws)).claims, { iss: now.issuer, n: 2 });
      await assert.rejects(verifyStatement(later.jws, readKeySet(JSON.stringify(before))), /not in the key set/);
    });

    test('a key from the environment signs, without its private half in the database, and stays public without it', async () => {
      const own = newSigningKey(clock.nowMs());
      const { jws } = await signer(own.privateKey).sign('receipt', {});
      await signer(own.privateKey).sign('receipt', {});
      assert.equal(kidOf(jws), own.kid);
      const rows = await opened.db.knex('signing_keys').where({ kid: own.kid });
      assert.deepEqual(
        rows.map((row) => row.private_key),
        [null],
      );
      await verify(jws);
      const { jws: without } = await signer().sign('receipt', {});
      assert.notEqual(kidOf(without), own.kid);
      await verify(without);
    });

    test('where only public halves are left, a gateway makes a key of its own', async () => {
      await opened.db.knex('signing_keys').update({ private_key: null });
      const { issuer } = await signer().keySet();
      const { jws } = await signer().sign('receipt', {});
      assert.equal((await verify(jws)).claims.iss, issuer);
    });
  });
}
