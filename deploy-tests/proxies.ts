/** The proxies that deploy/ configures, in this machine's own HAProxy, nginx and Caddy, in front of gateways of a test. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { freePort } from '#testing/free-port.ts';
import { until } from '#testing/until.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');
/** The name in the shipped files. Only `fetch` of a proxy finds it on this machine. */
export const NAME = 'gateway.example';

export interface RunningProxy {
  readonly url: string;
  /** Asks it for a path. Knows its name and its certificate, and waits for as long as it takes. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** What it works with, as the program itself shows it. */
  effective(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts HAProxy in front of two gateways, and resolves when it answers. */
export async function startHaproxy(gateways: readonly [url: string, url: string]): Promise<RunningProxy> {
  const listen = `127.0.0.1:${await freePort()}`;
  const [GATEWAY_1, GATEWAY_2] = gateways.map((url) => new URL(url).host);
  const file = join(DEPLOY, 'compose/haproxy.cfg');
  return started({
    program: 'haproxy',
    check: ['-c', '-f', file],
    run: ['-db', '-f', file],
    env: { LISTEN: listen, GATEWAY_1, GATEWAY_2 },
    url: `http://${listen}`,
    dispatcher: new Agent(),
    effective: async () => readFileSync(file, 'utf8'),
    folder: null,
  });
}

/** Starts nginx with TLS in front of a gateway. `allowH2` is whether `fetch` offers HTTP/2. */
export async function startNginx(gateway: string, allowH2: boolean): Promise<RunningProxy> {
  const { folder, certificate, key, dispatcher } = trusted(allowH2);
  const [port, plain] = [await freePort(), await freePort()];
  const site = replaced(readFileSync(join(DEPLOY, 'nginx/sluice.conf'), 'utf8'), [
    ['listen 80;', `listen 127.0.0.1:${plain};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    [`/etc/letsencrypt/live/${NAME}/fullchain.pem`, certificate],
    [`/etc/letsencrypt/live/${NAME}/privkey.pem`, key],
    ['http://127.0.0.1:8080;', `${gateway};`],
  ]);
  writeFileSync(join(folder, 'sluice.conf'), site);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/temp;`);
  // What Debian's nginx.conf has around it, as far as it matters here.
  writeFileSync(
    join(folder, 'nginx.conf'),
    `user root;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\ndaemon off;
    http { sendfile on; tcp_nopush on; gzip on; access_log off; ${paths.join(' ')} include ${folder}/sluice.conf; }`,
  );
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  return started({
    program: 'nginx',
    check: ['-t', ...args],
    run: args,
    url: `https://${NAME}:${port}`,
    dispatcher,
    effective: async () => execFileSync('nginx', ['-T', '-q', ...args], { encoding: 'utf8', stdio: 'pipe' }),
    folder,
  });
}

/** Starts Caddy with TLS in front of a gateway. `allowH2` is whether `fetch` offers HTTP/2. */
export async function startCaddy(gateway: string, allowH2: boolean): Promise<RunningProxy> {
  const { folder, certificate, key, dispatcher } = trusted(allowH2);
  const [port, plain, admin] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'Caddyfile');
  const site = replaced(readFileSync(join(DEPLOY, 'caddy/Caddyfile'), 'utf8'), [
    [`\n${NAME} {`, `\nhttps://${NAME}:${port} {`],
    ['# tls /etc/caddy/fullchain.pem /etc/caddy/privkey.pem', `tls ${certificate} ${key}`],
    ['reverse_proxy 127.0.0.1:8080 {', `reverse_proxy ${new URL(gateway).host} {`],
  ]);
  writeFileSync(file, `{\nadmin 127.0.0.1:${admin}\nhttp_port ${plain}\nhttps_port ${port}\n}\n${site}`);
  const args = ['--config', file, '--adapter', 'caddyfile'];
  return started({
    program: 'caddy',
    check: ['validate', ...args],
    run: ['run', ...args],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    url: `https://${NAME}:${port}`,
    dispatcher,
    effective: async () => (await fetch(`http://127.0.0.1:${admin}/config/`)).text(),
    folder,
  });
}

/** Replaces what a test cannot have. Fails when a file no longer has it. */
function replaced(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((done, [from, to]) => {
    assert.ok(done.includes(from), `the file has no longer ${from}`);
    return done.replaceAll(from, to);
  }, text);
}

/** A folder with a certificate of its own, and connections that trust it. */
function trusted(allowH2: boolean): { folder: string; certificate: string; key: string; dispatcher: Agent } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-proxy-'));
  const { certificate, key } = makeCertificate(folder);
  const dispatcher = new Agent({
    allowH2,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      ca: readFileSync(certificate),
      lookup: (_name, { all }, found) =>
        all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    },
  });
  return { folder, certificate, key, dispatcher };
}

/** Makes a certificate for `NAME` in this folder, and returns the names of the two files. */
export function makeCertificate(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  execFileSync('openssl', ['req', ...made, ...named, '-out', certificate, '-keyout', key], { stdio: 'pipe' });
  return { certificate, key };
}

interface Program extends Pick<RunningProxy, 'url' | 'effective'> {
  readonly program: string;
  /** Arguments with which it only judges its configuration, and with which it serves. */
  readonly check: readonly string[];
  readonly run: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly dispatcher: Agent;
  /** Removed at the end. */
  readonly folder: string | null;
}

async function started({
  program,
  check,
  run,
  env,
  dispatcher,
  folder,
  url,
  effective,
}: Program): Promise<RunningProxy> {
  const whole = { ...process.env, ...env };
  try {
    execFileSync(program, check, { env: whole, stdio: 'pipe' });
  } catch (error) {
    assert.fail(`run scripts/test-deploy, which installs ${program}: ${error}`);
  }
  const child = spawn(program, run, { env: whole, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
  const ask: RunningProxy['fetch'] = (path, init) => fetch(url + path, { ...init, dispatcher });
  await until(async () => {
    assert.equal(child.exitCode, null, said);
    const response = await ask('/healthz').catch(() => null);
    await response?.body?.cancel();
    return response?.status === 200;
  });
  return {
    url,
    fetch: ask,
    effective,
    async stop() {
      // The children of nginx end with it only after this signal.
      child.kill('SIGTERM');
      await ended;
      await dispatcher.destroy();
      if (folder) rmSync(folder, { recursive: true });
    },
  };
}
