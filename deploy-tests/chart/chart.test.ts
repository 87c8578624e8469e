/**
 * The chart of deploy/helm, rendered by Helm's own engine and held against the schemas of Kubernetes. Nothing is installed:
 * there is no cluster here.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { parseConfig } from '#config/config.ts';
import { fixedModel } from '#testing/test-config.ts';

const CHART = join(import.meta.dirname, '../../deploy/helm/sluice');

interface KubernetesObject {
  readonly kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, held against its schemas
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
}

interface Case {
  readonly refused: string | null;
  readonly objects: readonly KubernetesObject[];
  readonly faults: readonly string[];
}

const several = {
  replicas: 3,
  database: { secret: 'db' },
  peers: { secret: 'peers' },
  storage: { bucket: 's3://results/sluice' },
  secrets: [{ name: 'STRIPE_SECRET_KEY', secret: 'stripe', key: 'secret-key' }],
  env: { LOG_LEVEL: 'debug' },
  metrics: { from: [{ namespaceSelector: {} }], serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  config: 'default_model: tide\ndrain_timeout_ms: 90500\nmodels: []\n',
};

const behind = (proxies: unknown) =>
  `default_model: tide\nmodels: ${JSON.stringify([fixedModel('tide', 1)])}\ntrust_proxy: ${JSON.stringify(proxies)}\n`;
const ingress = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }];
/** Values that trust a proxy and are taken. */
const trusting = [
  { config: behind(1), networkPolicy: { callers: ingress } },
  { config: behind(['10.0.0.0/8']) },
  { config: behind(1), networkPolicy: { enabled: false } },
];

describe('the chart of Helm', {
  skip: process.env.CHART_PYTHON ? false : 'scripts/test-deploy installs what it needs',
}, () => {
  let lint: readonly unknown[];
  let one: Case;
  let many: Case;
  let shared: Case;
  let plain: Case;
  let proxied: readonly Case[];
  let refused: readonly Case[];

  before(() => {
    const { storage: _, ...unshared } = several;
    const values = [
      {},
      several,
      { ...several, storage: { sharedClaim: 'results' } },
      { metrics: { enabled: false }, networkPolicy: { enabled: false } },
      ...trusting,
      { replicas: 2 },
      { ...several, peers: {} },
      unshared,
      { replica: 2 },
      { replicas: '2' },
      { storage: { bucket: 'results' } },
      { config: 'default_model: [' },
      { config: behind(1) },
      { secrets: [{ name: 'NOT A NAME', secret: 'a', key: 'b' }] },
    ];
    const options = { input: JSON.stringify(values), encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
    const said = execFileSync(process.env.CHART_PYTHON ?? '', [join(import.meta.dirname, 'judge.py'), CHART], options);
    const judged: { lint: unknown[]; cases: Case[] } = JSON.parse(said);
    lint = judged.lint;
    const [first, second, third, fourth, ...rest] = judged.cases;
    assert.ok(first && second && third && fourth);
    [one, many, shared, plain] = [first, second, third, fourth];
    [proxied, refused] = [rest.slice(0, trusting.length), rest.slice(trusting.length)];
  });

  const kinds = ({ objects }: Case) => objects.map(({ kind }) => kind).sort();
  const of = ({ objects }: Case, kind: string) => objects.find((found) => found.kind === kind) ?? assert.fail(kind);
  const podOf = (made: Case) => of(made, 'StatefulSet').spec.template.spec;
  const environmentOf = (made: Case): Record<string, string> =>
    Object.fromEntries(
      podOf(made).containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );

  test('helm lint finds nothing', () => assert.deepEqual(lint, []));

  test('makes objects that Kubernetes knows, field by field', () => {
    for (const { refused: why, faults } of [one, many, shared, plain]) assert.deepEqual([why, faults], [null, []]);
    const usual = ['ConfigMap', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceAccount'];
    assert.deepEqual(kinds(one), [...usual, 'StatefulSet']);
    assert.deepEqual(kinds(many), [...usual, 'ServiceMonitor', 'StatefulSet']);
    assert.deepEqual(kinds(plain), [...usual.filter((kind) => kind !== 'NetworkPolicy'), 'StatefulSet']);
  });

  test('the configuration arrives as it was written, and a gateway takes it', () => {
    assert.equal(of(many, 'ConfigMap').data?.['sluice.yaml'], several.config);
    const text = of(one, 'ConfigMap').data?.['sluice.yaml'] ?? '';
    assert.equal(parseConfig(text, 'sluice.yaml', {}).listings.all.length, 1);
  });

  test('no proxy is trusted unless callers are the proxy alone, or somebody else sees to that', () => {
    const trusted = (made: Case) =>
      parseConfig(of(made, 'ConfigMap').data?.['sluice.yaml'] ?? '', 'sluice.yaml', {}).trustProxy;
    assert.equal(trusted(one), 0);
    assert.deepEqual(proxied.map(trusted), [1, ['10.0.0.0/8'], 1]);
    assert.deepEqual(
      proxied.map(({ refused: why, faults }) => [why, faults]),
      trusting.map(() => [null, []]),
    );
  });

  test('Kubernetes waits longer than a drain before it kills', () => {
    const { drainAnnounceMs, drainTimeoutMs } = parseConfig(
      of(one, 'ConfigMap').data?.['sluice.yaml'] ?? '',
      'sluice.yaml',
      {},
    );
    assert.equal(podOf(one).terminationGracePeriodSeconds * 1000, drainAnnounceMs + drainTimeoutMs + 20_000);
    assert.equal(podOf(many).terminationGracePeriodSeconds, 96 + 20);
  });

  test('a gateway runs as nobody, without rights in the cluster, in a root that it cannot write', () => {
    const pod = podOf(many);
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 65532]);
    assert.equal(pod.automountServiceAccountToken, false);
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = pod.containers[0].securityContext;
    assert.deepEqual(
      [readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities],
      [true, false, { drop: ['ALL'] }],
    );
  });

  test('secrets are files: no value of one is in any object', () => {
    const environment = environmentOf(many);
    assert.equal(environment.DATABASE_URL_FILE, '/run/secrets/database/url');
    assert.equal(environment.SLUICE_PEER_SECRET_FILE, '/run/secrets/peers/secret');
    assert.equal(environment.STRIPE_SECRET_KEY_FILE, '/run/secrets/more/STRIPE_SECRET_KEY');
    const mounted = podOf(many).containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    for (const folder of ['database', 'peers', 'more']) assert.ok(mounted.includes(`/run/secrets/${folder}`), folder);
  });

  test('large results are where all gateways reach them', () => {
    assert.deepEqual(
      [environmentOf(many).SLUICE_DATA, environmentOf(many).SLUICE_SPILL],
      ['s3://results/sluice', '/data'],
    );
    assert.equal(environmentOf(shared).SLUICE_DATA, '/shared');
    assert.equal('SLUICE_DATA' in environmentOf(one), false);
  });

  test('gateways reach each other, metrics are read by those who are named, and by nobody otherwise', () => {
    const portsOf = (made: Case) =>
      of(made, 'NetworkPolicy').spec.ingress.map(({ ports, from }: { ports: { port: string }[]; from?: unknown[] }) => [
        ports[0]?.port,
        from?.length ?? null,
      ]);
    assert.deepEqual(portsOf(one), [
      ['http', null],
      ['peers', 1],
    ]);
    assert.deepEqual(portsOf(many).at(-1), ['metrics', 1]);
    assert.equal(environmentOf(plain).METRICS_PORT, '0');
  });

  test('values that cannot work are refused, with the reason', () => {
    const reasons = [
      /need database\.secret/,
      /need peers\.secret/,
      /need storage\.bucket/,
      /'replica' not allowed/,
      /replicas/,
      /bucket/,
      /config is not YAML/,
      /config has trust_proxy, so networkPolicy\.callers must name the ingress/,
      /name/,
    ];
    assert.equal(refused.length, reasons.length);
    for (const [at, reason] of reasons.entries()) assert.match(refused[at]?.refused ?? '', reason);
  });
});
