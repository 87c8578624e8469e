import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Config } from '#config/config.ts';
import { parseConfig } from '#testing/judged-config.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { fileState, settingsInForce, shownSettings } from './configuration.ts';

const PLANTED = 'planted-where-nobody-may-look';
/** Every setting that holds a secret. */
const SECRETS = {
  DATABASE_URL: `mysql://${PLANTED}-user:${PLANTED}@db.internal:3307/sluice?password=${PLANTED}`,
  SLUICE_PEER_ADDRESS: '10.0.0.7:9100',
  SLUICE_PEER_SECRET: `${PLANTED}-${PLANTED}`,
  STRIPE_SECRET_KEY: `sk_${PLANTED}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${PLANTED}`,
  OIDC_CLIENT_SECRET: PLANTED,
  AWS_ACCESS_KEY_ID: PLANTED,
  AWS_SECRET_ACCESS_KEY: PLANTED,
  AWS_SESSION_TOKEN: PLANTED,
  SLUICE_DATA: `s3://bucket/prefix?endpoint=${encodeURIComponent(`http://${PLANTED}:${PLANTED}@minio:9000/${PLANTED}`)}`,
  GPU_1_KEY: PLANTED,
};
const pod = { id: 'gpu-1', url: 'http://10.0.0.5:8000/v1', slots: 8, api_key_env: 'GPU_1_KEY' };
const market = { ...marketModel('tide', 4), aliases: ['tide-latest'] };
const backed = { ...fixedModel('harbor'), pods: [pod] };
const stripe = { success_url: 'https://shop.example/paid', cancel_url: 'https://shop.example/back' };
const oidc = {
  issuer: 'https://id.example',
  client_id: 'sluice',
  role_claim: 'groups',
  roles: { boss: { operator: 'viewer' } },
};
const text = (more: object = {}) => selling([market, backed], { payments: { stripe }, console: { oidc }, ...more });
const read = (file = text(), environment: object = SECRETS): Config =>
  parseConfig(file, 'sluice.yaml', { ...environment });

describe('the configuration as people see it', () => {
  it('shows no secret, and that they are set', () => {
    const settings = shownSettings(read());
    const shown = JSON.stringify(Array.from(settings, ([name, { value }]) => [name, value]));
    assert.ok(!shown.includes(PLANTED), shown);
    const secrets = ['DATABASE_URL password', 'SLUICE_PEER_SECRET', 'pods[gpu-1].api_key_env', 'STRIPE_SECRET_KEY'];
    for (const name of [...secrets, 'STRIPE_WEBHOOK_SECRET', 'OIDC_CLIENT_SECRET'])
      assert.equal(settings.get(name)?.value, 'set', name);
    assert.equal(settings.get('DATABASE_URL')?.value, 'mysql://db.internal:3307/sluice');
    assert.equal(settings.get('console.oidc.roles')?.value, 'boss: operator viewer');
    assert.equal(settings.get('SLUICE_DATA')?.value, 's3://bucket/prefix/');
    assert.equal(settings.get('SLUICE_DATA endpoint')?.value, 'minio:9000');
  });

  it('shows what the file leaves out, and money and lists as the file spells them', () => {
    const settings = shownSettings(read(selling([market, fixedModel('harbor')]), {}));
    const value = (name: string) => settings.get(name)?.value;
    assert.deepEqual(
      ['DATABASE_URL', 'DATABASE_URL password', 'PORT', 'drain_timeout_ms', 'probes.enabled', 'trust_proxy'].map(value),
      ['sqlite:data/sluice.sqlite', null, '8080', '30000', 'false', '0'],
    );
    assert.deepEqual([value('models[tide].ceiling'), value('models[tide].aliases')], ['100.00', 'tide-latest']);
    assert.equal(value('models[tide].pricing_ratio'), 'cached 0.1, uncached 1, output 4');
    assert.equal(value('models[harbor].ceiling'), undefined);
    assert.deepEqual([value('pods[tide-1].slots'), value('pods[tide-1].simulated')], ['4', 'true']);
    assert.equal(value('limits.active_keys_per_account'), '50');
  });

  it('knows which settings have their defaults: not those that a file must name, nor those that it sets', () => {
    const simulated = { id: 'sim-1', simulated: true, slots: 99 };
    const harbor = { ...fixedModel('harbor'), pods: [pod, simulated] };
    const settings = settingsInForce(read(selling([market, harbor], { drain_timeout_ms: 5 })));
    const isDefault = (name: string) => settings.get(name)?.isDefault;
    const own = ['models[tide].ceiling', 'models[tide].aliases', 'models[harbor].usd_per_million', 'drain_timeout_ms'];
    for (const name of [...own, 'pods[gpu-1].url', 'pods[gpu-1].slots', 'pods[gpu-1].api_key_env', 'DATABASE_URL'])
      assert.equal(isDefault(name), false, name);
    const defaults = ['models[tide].reserve', 'models[harbor].custom_tools', 'pods[gpu-1].engine', 'pods[sim-1].seed'];
    for (const name of [...defaults, 'partner_prefix', 'limits.streams_per_address', 'PORT', 'billing.issuer'])
      assert.equal(isDefault(name), true, name);
  });

  it('names what the file says otherwise, also a pod that is new, one that is gone and a secret that is another', () => {
    const inForce = read();
    assert.deepEqual(fileState(inForce, read), { state: 'same', line: null, differences: [] });
    const changed = { ...backed, pods: [{ ...pod, id: 'gpu-2' }] };
    const { state, differences } = fileState(inForce, () =>
      read(selling([market, changed], { payments: { stripe }, drain_timeout_ms: 60_000 }), {
        ...SECRETS,
        STRIPE_SECRET_KEY: `sk_${PLANTED}2`,
      }),
    );
    assert.equal(state, 'different');
    const of = new Map(differences.map(({ setting, inForce: one, inFile: other }) => [setting, [one, other]]));
    assert.deepEqual(of.get('drain_timeout_ms'), ['30000', '60000']);
    assert.deepEqual(
      [of.get('pods[gpu-1].slots'), of.get('pods[gpu-2].slots')],
      [
        ['8', null],
        [null, '8'],
      ],
    );
    assert.deepEqual(of.get('STRIPE_SECRET_KEY'), ['set', 'set']);
    assert.ok(!JSON.stringify(differences).includes(PLANTED));
    assert.equal(of.get('models[tide].ceiling'), undefined);
  });

  it('of a file that a start would refuse it shows the line, and not what is written there', () => {
    const misplaced = text().replace('GPU_1_KEY', `sk ${PLANTED}`);
    const state = fileState(read(), () => read(misplaced));
    assert.deepEqual(state, { state: 'invalid', line: 1, differences: [] });
    assert.ok(!JSON.stringify(state).includes(PLANTED));
    assert.deepEqual(fileState(read(), () => read('[]')).state, 'invalid');
    const broken = (): Config => {
      throw new TypeError('a bug');
    };
    assert.throws(() => fileState(read(), broken), TypeError);
  });
});
