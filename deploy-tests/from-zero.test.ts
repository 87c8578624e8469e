/**
 * docs/sell/from-zero.md, run block by block: below a folder instead of the root, with a real MariaDB, nginx and gateway.
 * Stand-ins play what only a machine of its own has: packages, a new user, systemd and a certificate.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '#testing/free-port.ts';
import { type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { type OwnMariadb, startMariadb } from './own-mariadb.ts';
import { makeCertificate, NAME } from './proxies.ts';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/sell/from-zero.md'), 'utf8');
const blocks = [...page.matchAll(/^## (.+)\n[\s\S]*?^```bash\n([\s\S]*?)^```$/gm)];
const skip = process.getuid?.() === 0 ? false : 'needs root, as the page does';
const COMMANDS_MAX = 30;

describe('from zero to selling', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-zero-'));
  const at = (path: string) => join(folder, path);
  let server: OwnMariadb;
  let pod: MockBackend;
  let moved: (text: string) => string;

  before(async () => {
    server = await startMariadb();
    pod = await startMockBackend({ listed: () => 'tide' });
    const [port, tls, plain] = [await freePort(), await freePort(), await freePort()];
    chmodSync(folder, 0o755);
    for (const path of ['bin', 'units', 'nginx', 'etc/sluice', 'opt', 'root']) mkdirSync(at(path), { recursive: true });
    const { certificate, key } = makeCertificate(folder);
    moved = (text) =>
      [
        ['/opt/sluice', at('opt')],
        ['/etc/sluice', at('etc/sluice')],
        ['/etc/systemd/system', at('units')],
        ['/usr/local/bin', at('bin')],
        ['/var/lib/sluice', at('lib')],
        ['/var/cache/sluice', at('cache')],
        ['/etc/nginx/conf.d', at('nginx')],
        ['/root/', `${at('root')}/`],
        [/\/etc\/letsencrypt\/live\/[\w.]+\/fullchain\.pem/g, certificate],
        [/\/etc\/letsencrypt\/live\/[\w.]+\/privkey\.pem/g, key],
        ['listen [::]:80;', ''],
        ['listen [::]:443 ssl http2;', ''],
        ['listen 80;', `listen 127.0.0.1:${plain};`],
        ['listen 443 ', `listen 127.0.0.1:${tls} `],
        ['http://127.0.0.1:8080', `http://127.0.0.1:${port}`],
        ['http://127.0.0.1:8000/v1', pod.url],
        ['127.0.0.1:3306', `127.0.0.1:${server.port}`],
        ['User=sluice', 'User=root'],
      ].reduce((done, [from, to]) => done.replaceAll(from ?? '', String(to)), text);
    for (const name of [
      'src',
      'generated',
      'simulations',
      'node_modules',
      'scripts',
      'package.json',
      'package-lock.json',
    ])
      symlinkSync(join(ROOT, name), at(`opt/${name}`));
    for (const file of globSync('deploy/{nginx,mariadb,systemd}/*', { cwd: ROOT })) {
      cpSync(join(ROOT, file), at(`opt/${file}`), { recursive: true });
      writeFileSync(at(`opt/${file}`), moved(readFileSync(join(ROOT, file), 'utf8')));
      chmodSync(at(`opt/${file}`), statSync(join(ROOT, file)).mode);
    }
    writeFileSync(at('etc/sluice/environment'), `PORT=${port}\nMETRICS_PORT=0\n`);
    writeFileSync(at('.curlrc'), `cacert = ${certificate}\nconnect-to = "${NAME}:443:127.0.0.1:${tls}"\nsilent\n`);
    writeFileSync(
      at('nginx.conf'),
      `user root; pid ${folder}/nginx.pid; events {} http { access_log off; include ${at('nginx')}/*.conf; }`,
    );
    const options = `--no-defaults --host=127.0.0.1 --port=${server.port} --user=root`;
    for (const client of ['mariadb', 'mariadb-dump'])
      program(client, `exec ${execFileSync('which', [client], { encoding: 'utf8' }).trim()} ${options} "$@"`);
    for (const other of ['apt-get', 'git', 'npm', 'useradd', 'certbot']) program(other, 'exit 0');
    program('systemctl', SYSTEMCTL);
  });
  after(async () => {
    await run('systemctl stop sluice; systemctl stop nginx');
    server?.stop();
    await pod?.close();
    rmSync(folder, { recursive: true });
  });

  function program(name: string, script: string): void {
    writeFileSync(at(`bin/${name}`), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }

  function run(script: string): Promise<{ status: unknown; stdout: string; stderr: string }> {
    const env = { PATH: `${at('bin')}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' };
    return new Promise((resolve) => {
      execFile('bash', ['-euo', 'pipefail', '-c', script], { cwd: at('opt'), env }, (error, stdout, stderr) =>
        resolve({ status: error?.code ?? 0, stdout, stderr }),
      );
    });
  }

  /** Starts and stops the gateway as the unit says, and nginx with the files of the page. */
  const SYSTEMCTL = `case "$*" in
    'enable --now sluice' | 'start sluice')
      setsid sluice-ctl serve >${folder}/log 2>&1 </dev/null & echo $! >${folder}/pid
      . ${folder}/etc/sluice/environment
      until curl --fail --output /dev/null "http://127.0.0.1:$PORT/healthz"; do kill -0 "$(cat ${folder}/pid)" || exit 1; sleep 0.1; done ;;
    'stop sluice') pkill -TERM -P "$(cat ${folder}/pid)"; while kill -0 "$(cat ${folder}/pid)" 2>/dev/null; do sleep 0.1; done ;;
    'restart nginx') nginx -e stderr -c ${folder}/nginx.conf >>${folder}/log 2>&1 </dev/null ;;
    'stop nginx') nginx -e stderr -c ${folder}/nginx.conf -s stop ;;
  esac`;

  test('each block does what the page says', async () => {
    // What one block sets, the next one uses.
    const all = blocks.map(([, title, text = '']) => `echo '## ${title}'\n${moved(text)}`).join('\n');
    const { status, stdout, stderr } = await run(all);
    const log = existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '';
    assert.equal(status, 0, stdout + stderr + log);
    const [, charged] = /"charged_usd":\s*([\d.]+)/.exec(stdout) ?? [];
    assert.ok(Number(charged) > 0, stdout);
    assert.match(stdout, /## Operate\n[\s\S]*gpu-1[\s\S]*## Back up/);
    assert.match((await run('sluice-ctl account list')).stdout, /first/, 'the restored database has the account');
  });

  test(`it takes fewer than ${COMMANDS_MAX} commands`, () => {
    const commands = blocks.flatMap(([, , text = '']) =>
      text
        .replaceAll(/<<'END'[\s\S]*?^END$/gm, '')
        .replaceAll('\\\n', '')
        .trim()
        .split('\n'),
    );
    assert.ok(commands.length < COMMANDS_MAX, String(commands.length));
  });
});
