/**
 * A running gateway reads files that are wrong in every way that a file can be. Each is refused with its place,
 * at once, and nothing changes: what is sold, what waits and who runs.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';

const harbor = fixedModel('harbor', 4);
const reef = { ...marketModel('reef'), floor: 1, ceiling: 50 };
/** These tests ask as often as a fast machine can, and must not be refused for it. */
const LIMITS = {
  public_requests_per_minute_per_address: 1_000_000,
  account_operations_per_minute_per_account: 1_000_000,
};
const GOOD = selling([harbor, reef], { limits: LIMITS });
/** The same in lines, so that a fault has its own. */
const LINES = JSON.stringify(JSON.parse(GOOD), null, 1);
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;
const MANY = 20_000;

let site: Site;
let gateway: GatewayProcess;
let key = '';
let waiting = '';
before(async () => {
  site = await makeSite(GOOD);
  const { json: account } = await site.command('account', 'create', 'busy', '--credit', '100');
  key = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
  gateway = await site.start();
  const { id } = await call('/v1/chat/completions', {
    ...{ model: 'reef', messages: [{ role: 'user', content: 'Hi' }] },
    ...{ detached: true, max_wait: 3600, price_limit: 5 },
  });
  waiting = String(id);
});
after(async () => {
  await gateway?.kill();
  site?.remove();
});

async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  return (await (await fetch(gateway.url + path, sent)).json()) as Record<string, unknown>;
}

const refusals = () => gateway.log().match(/"cause":"(?:[^"\\]|\\.)*"/g) ?? [];

/** What the log says of the file that `place` puts where the configuration is. */
async function refusalOf(place: (path: string) => void): Promise<string> {
  const path = join(site.folder, 'sluice.yaml');
  rmSync(path, { recursive: true, force: true });
  place(path);
  const before = refusals().length;
  process.kill(gateway.pid, 'SIGHUP');
  // Each question is answered by the process that reads: it does not hang.
  while (refusals().length === before) await call('/v1/rate-limits');
  rmSync(path, { recursive: true, force: true });
  return String(JSON.parse(`{${refusals().at(-1)}}`).cause).replace(`${path}`, 'FILE');
}

const written = (text: string | Uint8Array) => (path: string) => writeFileSync(path, text);
const changed = (from: string, to: string) => written(LINES.replace(from, to));

const HOSTILE: Readonly<Record<string, readonly [(path: string) => void, RegExp]>> = {
  'no file': [() => {}, /^FILE does not exist/],
  'an empty file': [written(''), /^FILE:1: the file is empty/],
  'a file that was half written': [written(LINES.slice(0, LINES.length / 2)), /^FILE:\d+: this is not valid YAML/],
  'a file of two gibibytes': [
    (path) => {
      writeFileSync(path, GOOD);
      truncateSync(path, 2 ** 31);
    },
    /^FILE is larger than 1 MiB/,
  ],
  'a link that leads to itself': [(path) => symlinkSync(path, path), /^FILE is a link that leads back to itself/],
  'a folder': [(path) => mkdirSync(path), /^FILE is not a regular file/],
  'a pipe to which nobody writes': [(path) => execFileSync('mkfifo', [path]), /^FILE is not a regular file/],
  'a device that never ends': [(path) => symlinkSync('/dev/zero', path), /^FILE is not a regular file/],
  'bytes that are no text': [
    written(Buffer.concat([Buffer.from('default_model: harbor\nmodels: '), Buffer.from([0xff, 0xfe, 0x00])])),
    /^FILE:2: this line is not UTF-8/,
  ],
  'an unknown key': [
    changed('"floor": 1', '"flor": 1'),
    new RegExp(`^FILE:${lineOf(LINES, '"floor": 1')}: models\\[1\\]\\.flor is not`),
  ],
  'a key twice': [
    changed('"floor": 1', '"floor": 1,\n"floor": 2'),
    new RegExp(`^FILE:${lineOf(LINES, '"floor": 1') + 1}: floor appears here a second time`),
  ],
  'two pods of one name': [
    written(selling([harbor, { ...fixedModel('cove', 1), pods: harbor.pods }])),
    /^FILE:1: models\[1\]\.pods\[0\]\.id repeats the name harbor-1/,
  ],
  'a floor above the ceiling': [
    changed('"floor": 1', '"floor": 51'),
    new RegExp(`^FILE:${lineOf(LINES, '"floor": 1')}: models\\[1\\]\\.floor is above ceiling`),
  ],
  'a price beyond all numbers': [
    changed('"ceiling": 50', '"ceiling": 1e400'),
    /^FILE:\d+: models\[1\]\.ceiling is "1e400"/,
  ],
  'a list that has itself in it': [written('default_model: harbor\nmodels: &m\n  - *m\n'), /^FILE:3: models is a list/],
  'a code of another language': [
    changed('"default_model": "harbor"', '"default_model": !!js/function "x"'),
    /^FILE:2: default_model is x, which is not one of the models/,
  ],
  'a hundred thousand brackets': [
    written(`default_model: harbor\nmodels: ${'['.repeat(100_000)}`),
    /^FILE:2: more than 1000 brackets are open here/,
  ],
  'twenty thousand keys': [
    written(`${LINES.slice(0, -2)}${Array.from({ length: MANY }, (_, key) => `,\n"k${key}": 1`).join('')}}`),
    /^FILE:\d+: k0 is not a setting here/,
  ],
  'the default model gone': [
    written(selling([reef], { default_model: 'harbor', limits: LIMITS })),
    /^FILE:1: default_model is harbor, which is/,
  ],
};

describe('a file that is wrong', () => {
  for (const [what, [place, refused]] of Object.entries(HOSTILE)) {
    test(`${what}: refused, and nothing changes`, async () => {
      const sold = await call('/v1/models');
      assert.match(await refusalOf(place), refused);
      assert.deepEqual(await call('/v1/models'), sold);
      assert.equal((await call(`/v1/orders/${waiting}`)).status, 'queued');
    });
  }

  test('the next one that is right is taken: a model that is gone keeps its order, and runs it when its pods come', async () => {
    const path = join(site.folder, 'sluice.yaml');
    const reload = async (text: string, streams: number) => {
      writeFileSync(path, JSON.stringify({ ...JSON.parse(text), limits: { ...LIMITS, streams_per_address: streams } }));
      process.kill(gateway.pid, 'SIGHUP');
      const inForce = async () => (await call('/v1/rate-limits')).public as { open_streams_per_address: number };
      while ((await inForce()).open_streams_per_address !== streams);
    };
    await reload(selling([harbor]), 21);
    assert.equal((await call(`/v1/orders/${waiting}`)).status, 'queued');
    assert.match(gateway.log(), /"needs_restart":\["models\[reef\]"\]/);
    await reload(selling([harbor, { ...reef, pods: marketModel('reef', 1).pods }]), 22);
    while ((await call(`/v1/orders/${waiting}`)).status !== 'done');
    assert.equal(await gateway.stop(), 0);
    assert.deepEqual((await site.command('audit', '--against-config')).json.findings, []);
  });
});
