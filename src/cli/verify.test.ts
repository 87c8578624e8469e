import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Signer } from '#signing/signer.ts';
import type { StoredSigningKey } from '#signing/signing-key.ts';
import { newSigningKey } from '#signing/signing-key.ts';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { withOperatorStore } from './operator-store.ts';
import { listSigningKeys, rotateSigningKey } from './proof-commands.ts';
import { type VerifyOptions, verify } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-verify-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const RECEIPT = {
  ...{ iat: 1, order_id: 'o', kind: 'chat', model: 'tide-70b' },
  ...{ created_at: '', admitted_at: '', settled_at: '2026-01-01T00:00:00.000Z', estimated: false },
  tariff: 'market:100000000:1000000000:4000000000',
  ...{ level_nano_usd: 250_000_000, bid_nano_usd: 500_000_000 },
  ...{ prompt_tokens: 1000, cached_tokens: 0, output_tokens: 20 },
  ...{ charged_nano_usd: 1_000_000, written_off_nano_usd: 0 },
  level_row: { number: 7, level_nano_usd: 250_000_000, at_ms: 1, previous: null, hash: null },
  quote_window: null,
};

const keys: StoredSigningKey[] = [];
const add = async (key: StoredSigningKey) => void keys.unshift(key);
const signer = new Signer({
  store: { list: async () => [...keys], add, addFirst: add },
  ownKey: null,
  clock: new ManualClock(0),
});

function file(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const verifyReceipt = (source: string, options: VerifyOptions) => verify(source, options, 0);
let jwks: string;
let signed: Awaited<ReturnType<typeof sign>>;
const sign = (change: object = {}) => signer.sign('receipt', { ...RECEIPT, ...change });
before(async () => {
  signed = await sign();
  jwks = file('jwks.json', await signer.keySet());
});

test('a receipt verifies as the gateway sends it and as a JWS alone, and its charge is computed again', async () => {
  const { jws, claims: receipt } = signed;
  for (const source of [file('receipt.json', { id: 'o', jws, receipt }), file('receipt.jws', `${jws}\n`)]) {
    const { json, text, exitCode } = await verifyReceipt(source, { jwks });
    assert.deepEqual([json.ok, json.due_nano_usd, json.faults, exitCode ?? 0], [true, 1_000_000, [], 0]);
    assert.match(text, /Verified/);
    assert.match(text, /\$0\.001\n/);
  }
});

test('what is to be read beside a signature must be what was signed', async () => {
  const receipt = { ...signed.claims, charged_nano_usd: 1_000_001 };
  const { json, exitCode } = await verifyReceipt(file('edited.json', { jws: signed.jws, receipt }), { jwks });
  assert.deepEqual([json.ok, exitCode], [false, 1]);
  assert.match(String(json.faults), /differs from what was signed/);
});

test('a receipt that a gateway signed and that does not add up is refused, with the reason', async () => {
  const { jws } = await sign({ charged_nano_usd: 2_000_000 });
  const { json, text, exitCode } = await verifyReceipt(file('dear.jws', jws), { jwks });
  assert.deepEqual([json.ok, json.due_nano_usd, exitCode], [false, 1_000_000, 1]);
  assert.match(text, /The tokens cost 1000000 nano-dollars; the receipt says 2000000/);
});

test('another issuer is refused', async () => {
  const { json, exitCode } = await verifyReceipt(file('own.jws', signed.jws), { jwks, issuer: 'urn:sluice:other' });
  assert.deepEqual([json.ok, exitCode], [false, 1]);
  assert.match(String(json.faults), /keys are those of urn:sluice:other/);
});

test('keys are read from an address, too', async () => {
  const keySet = JSON.stringify(await signer.keySet());
  const server = http.createServer((request, response) => {
    response.statusCode = request.url === '/keys' ? 200 : 404;
    response.end(keySet);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${port}`;
  const source = file('far.jws', signed.jws);
  assert.equal((await verifyReceipt(source, { jwks: `${url}/keys` })).json.ok, true);
  const missing = await verifyReceipt(source, { jwks: `${url}/none` });
  assert.deepEqual([missing.exitCode, missing.json.faults], [2, [`${url}/none answered 404.`]]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const gone = await verifyReceipt(source, { jwks: `${url}/keys` });
  assert.deepEqual([gone.exitCode, gone.json.faults], [2, [`${url}/keys cannot be reached.`]]);
});

test('a file that cannot be read is another failure than a receipt that is wrong', async () => {
  const { json, exitCode } = await verifyReceipt(join(folder, 'none'), { jwks });
  assert.deepEqual([json.ok, exitCode], [false, 2]);
  assert.match(String(json.faults), /none cannot be read \(ENOENT\)/);
  assert.equal((await verifyReceipt(file('text', 'hello'), { jwks })).exitCode, 1);
  assert.equal((await verifyReceipt(file('own2.jws', signed.jws), { jwks: file('no-keys', 'hello') })).exitCode, 1);
});

test('signing-key rotate makes the key that signs, and list shows which one it is, without private halves', () =>
  withOperatorStore(`sqlite:${join(folder, 'keys.sqlite')}`, async (store) => {
    assert.match((await listSigningKeys(store, { own: null })).text, /no key yet/);
    const first = (await rotateSigningKey(store, { own: null })).json.kid;
    const second = (await rotateSigningKey(store, { own: null })).json.kid;
    const { json, text } = await listSigningKeys(store, { own: null });
    const listed = json.keys as { kid: string; signs: boolean; private_half: string }[];
    assert.deepEqual(
      listed.map(({ kid, signs, private_half }) => [kid, signs, private_half]),
      [
        [second, true, 'database'],
        [first, false, 'database'],
      ],
    );
    assert.doesNotMatch(text + JSON.stringify(json), /PRIVATE/);
    const own = newSigningKey(0).privateKey;
    await assert.rejects(rotateSigningKey(store, { own }), /RECEIPT_SIGNING_KEY says which key signs/);
  }));
