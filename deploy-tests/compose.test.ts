/**
 * deploy/compose.yaml and what it mounts, judged by the programs that read them: the reference implementation of Compose
 * files, promtool and the gateway. No container is started: there is no Docker here. The balancer has a test of its own.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { parseConfig } from '#config/config.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
/** The version that judges; `docker compose` has it inside. */
const COMPOSE = 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2';
const skip = goIsTooOld() ? 'needs Go 1.24 or newer' : false;

interface Service {
  readonly image: string;
  readonly stop_grace_period?: string;
  readonly ports?: readonly { readonly host_ip: string; readonly published: string }[];
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly read_only?: boolean }[];
  readonly environment?: Readonly<Record<string, string>>;
}

interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

function goIsTooOld(): boolean {
  const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
  return Number(/ go1\.(\d+)/.exec(stdout ?? '')?.[1] ?? 0) < 24;
}

describe('compose.yaml', { skip }, () => {
  let project: Project;

  test('is a Compose file', () => {
    const judge = ['run', COMPOSE, '--format', 'json', 'compose.yaml'];
    project = JSON.parse(execFileSync('go', judge, { cwd: DEPLOY, encoding: 'utf8' }));
    assert.deepEqual(Object.keys(project.services).sort(), [
      'balancer',
      'database',
      'gateway-1',
      'gateway-2',
      'grafana',
      'prometheus',
    ]);
  });

  test('mounts files that exist, read-only', () => {
    const mounts = Object.values(project.services).flatMap(({ volumes = [] }) =>
      volumes.filter(({ type }) => type === 'bind'),
    );
    assert.ok(mounts.length > 5);
    for (const { source, read_only } of mounts) assert.ok(existsSync(source) && read_only, source);
  });

  test('is reached from this machine only', () => {
    const ports = Object.values(project.services).flatMap((service) => service.ports ?? []);
    assert.deepEqual(ports.map(({ host_ip, published }) => `${host_ip}:${published}`).sort(), [
      '127.0.0.1:3000',
      '127.0.0.1:8080',
      '127.0.0.1:9090',
    ]);
  });

  test('differs between the gateways in one address, and waits for their drain', () => {
    const { 'gateway-1': first, 'gateway-2': second } = project.services;
    assert.ok(first && second);
    const config = parseConfig(read('compose/sluice.yaml'), 'sluice.yaml', {});
    assert.equal(config.trustProxy, 1);
    for (const { stop_grace_period } of [first, second])
      assert.ok(
        Number.parseInt(stop_grace_period ?? '', 10) * 1000 >= config.drainAnnounceMs + config.drainTimeoutMs + 10_000,
        stop_grace_period,
      );
    const renamed = JSON.stringify(first).replaceAll('gateway-1', 'gateway-2');
    assert.deepEqual(JSON.parse(renamed), second);
  });

  test('has the secrets that make-secrets makes, which a second run keeps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
    copyFileSync(join(DEPLOY, 'compose/make-secrets'), join(folder, 'make-secrets'));
    const make = () => {
      execFileSync(join(folder, 'make-secrets'));
      return Object.fromEntries(
        Object.values(project.secrets).map(({ file }) => {
          const name = file.slice(file.lastIndexOf('/') + 1);
          return [name, readFileSync(join(folder, 'secrets', name), 'utf8')];
        }),
      );
    };
    const made = make();
    assert.equal(made['database-url'], `mysql://sluice:${made['database-password']}@database/sluice`);
    assert.match(made['peer-secret'] ?? '', /^[0-9a-f]{48}$/);
    assert.equal(new Set(Object.values(made)).size, 5);
    assert.deepEqual(make(), made);
    assert.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700);
    rmSync(folder, { recursive: true });
  });
});

test('Prometheus of compose.yaml understands its configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const file = join(folder, 'prometheus.yaml');
  writeFileSync(file, read('compose/prometheus.yaml').replace('/etc/prometheus/', `${DEPLOY}/prometheus/`));
  execFileSync('promtool', ['check', 'config', file]);
  rmSync(folder, { recursive: true });
});

test('Grafana of compose.yaml finds the data source and the folder of the dashboard', () => {
  const [source] = parse(read('compose/grafana-datasource.yaml')).datasources;
  assert.deepEqual([source.type, source.url, source.isDefault], ['prometheus', 'http://prometheus:9090', true]);
  const [provider] = parse(read('compose/grafana-dashboards.yaml')).providers;
  const { volumes } = parse(read('compose.yaml')).services.grafana;
  assert.ok(volumes.includes(`./grafana:${provider.options.path}:ro`));
});
