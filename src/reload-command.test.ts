/** `sluice reload` beside a gateway in a process of its own. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, selling } from '#testing/test-config.ts';

let site: Site;
before(async () => {
  site = await makeSite(selling([fixedModel('harbor', 4)]));
});
after(() => site?.remove());

const write = (text: string) => writeFileSync(join(site.folder, 'sluice.yaml'), text);

test('the command prints what the gateway changed, what needs a restart, and which line is wrong', async (t) => {
  // The environment of the gateway alone has the key of a pod.
  site.environment.PLANTED_KEY = 'planted';
  const gateway = await site.start();
  delete site.environment.PLANTED_KEY;
  t.after(() => gateway.kill());
  const subject = `process ${gateway.pid}`;
  write(selling([fixedModel('harbor', 9)], { trust_proxy: 1, limits: { streams_per_address: 7 } }));
  const { exitCode, json } = await site.command('reload');
  const changed = ['pods[harbor-1].slots', 'limits.streams_per_address'];
  assert.deepEqual(
    [exitCode, json],
    [
      0,
      { gateways: [{ gateway: subject, added: [], removed: [], changed, needs_restart: ['trust_proxy'] }], late: [] },
    ],
  );
  assert.equal(
    (await (await fetch(`${gateway.url}/v1/rate-limits`)).text()).includes('"open_streams_per_address":7'),
    true,
  );

  const other = { ...fixedModel('reef'), pods: [{ id: 'reef-2', simulated: true, slots: 2, seed: 1 }] };
  write(
    selling([{ ...fixedModel('harbor'), pods: [] }, other], { trust_proxy: 1, limits: { streams_per_address: 7 } }),
  );
  const moved = (await site.command('reload')).json.gateways;
  assert.partialDeepStrictEqual(moved, [
    { added: ['models[reef]', 'pods[reef-2]'], removed: ['pods[harbor-1]'], changed: [] },
  ]);

  write(`default_model: harbor\nmodels: sk-planted-secret\n`);
  const wrong = await site.command('reload');
  const refused = `${join(site.folder, 'sluice.yaml')}:2`;
  assert.partialDeepStrictEqual(
    [wrong.exitCode, wrong.json],
    [1, { gateways: [{ gateway: subject, refused }], late: [] }],
  );
  const [{ sentence }] = wrong.json.gateways as [{ sentence: string }];
  assert.ok(sentence.startsWith(`${refused}: models `), sentence);
  const { json: log } = await site.command('member', 'log');
  assert.ok(!JSON.stringify(log).includes('sk-planted-secret'));

  const pods = [{ id: 'gpu-1', url: 'http://127.0.0.1:9/v1', slots: 1, api_key_env: 'PLANTED_KEY' }];
  write(selling([{ ...fixedModel('harbor'), pods }]).replace('"default_model":"harbor",', '"default_model":"reef",\n'));
  const [unknown] = (await site.command('reload')).json.gateways as [{ sentence: string }];
  assert.match(unknown.sentence, /:1: default_model is reef, which is not one of the models/);
  assert.equal(await gateway.stop(), 0);

  const alone = await site.command('reload');
  assert.equal(alone.exitCode, 1);
  assert.match(JSON.stringify(alone.json), /No gateway of this database runs on this machine/);
});
