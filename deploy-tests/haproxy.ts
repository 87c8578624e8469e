/** The balancer of deploy/compose, in the machine's own HAProxy, in front of gateways of a test. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { until } from '#testing/mariadb.ts';

const CONFIGURATION = join(import.meta.dirname, '../deploy/compose/haproxy.cfg');

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it in front of two gateways, and resolves when it answers. Fails unless HAProxy is installed. */
export async function startBalancer(gateways: readonly [url: string, url: string]): Promise<Balancer> {
  const listen = `127.0.0.1:${await freePort()}`;
  const [GATEWAY_1, GATEWAY_2] = gateways.map((url) => new URL(url).host);
  const env = { ...process.env, LISTEN: listen, GATEWAY_1, GATEWAY_2 };
  try {
    execFileSync('haproxy', ['-c', '-f', CONFIGURATION], { env, stdio: 'pipe' });
  } catch (error) {
    assert.fail(`run scripts/test-deploy, which installs HAProxy: ${error}`);
  }
  const child = spawn('haproxy', ['-db', '-f', CONFIGURATION], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
  const url = `http://${listen}`;
  await until(async () => {
    assert.equal(child.exitCode, null, said);
    const response = await fetch(`${url}/healthz`).catch(() => null);
    await response?.body?.cancel();
    return response?.status === 200;
  });
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
