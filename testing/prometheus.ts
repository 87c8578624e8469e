/** A Prometheus of its own for a test, with the machine's program: it scrapes once a second and says what it knows. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** One series of an answer. */
export interface Found {
  readonly metric: Readonly<Record<string, string>>;
  /** NaN for no number. */
  readonly value: number;
}

export interface Prometheus {
  /** What an expression is now. Rejects for one that it does not understand. */
  query(expression: string): Promise<readonly Found[]>;
  /** The names of the alerts that fire. */
  firing(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** Fails unless Debian's package, or the like, is installed. */
export function requirePrometheus(): void {
  for (const program of ['prometheus', 'promtool']) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    } catch {
      assert.fail(`${program} is not installed: run scripts/need prometheus prometheus, or install it yourself.`);
    }
  }
}

/** Scrapes the job `sluice` at `target`, such as 127.0.0.1:9464, and evaluates the text of a rule file. */
export async function startPrometheus(target: string, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  const port = await freePort();
  writeFileSync(join(folder, 'rules.yaml'), rules);
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yaml')],
    scrape_configs: [{ job_name: 'sluice', static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = await response.text();
    assert.equal(response.status, 200, `${path}: ${body}`);
    return JSON.parse(body).data;
  };
  while (!(await isReady(port))) assert.equal(child.exitCode, null, said);
  return {
    async query(expression) {
      const { result } = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }: { metric: Found['metric']; value: [number, string] }) => {
        return { metric, value: Number(value[1]) };
      });
    },
    async firing() {
      const { alerts } = await ask('/api/v1/alerts');
      const fire = alerts.filter(({ state }: { state: string }) => state === 'firing');
      return new Set(fire.map(({ labels }: { labels: { alertname: string } }) => labels.alertname));
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}
