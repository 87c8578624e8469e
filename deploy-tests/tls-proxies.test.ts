/**
 * nginx and Caddy with the files that deploy/ ships, in front of a real gateway: what a proxy spoils when it is configured
 * as for a web site.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RequestInit, Response } from 'undici';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { chunkOf, frameOf, type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';
import { type RunningProxy, startCaddy, startNginx } from './proxies.ts';

const MIB = 2 ** 20;
/** More than the read timeout of a proxy that nobody has configured: 60 seconds in nginx. */
const LONG_WAIT_S = 65;
/** A bid at which an order for `rare` waits, and one at which it runs. */
const [LOW, HIGH] = [1, 10];
const PUBLIC_REQUESTS = 100;

const held = (url: string) => ({
  ...marketModel('held'),
  pods: [{ id: 'held-1', url, slots: 8 }],
});

// At once, because each waits for over a minute.
describe('behind a proxy with TLS', { concurrency: true }, () => {
  for (const [name, start] of [
    ['nginx', startNginx],
    ['Caddy', startCaddy],
  ] as const)
    describe(`${name} with the shipped file`, { concurrency: false }, () => {
      let folder: string;
      let pod: MockBackend;
      let site: Site;
      let gateway: GatewayProcess;
      /** Clients that speak HTTP/1.1, as most of those for models do, and HTTP/2, as browsers do. */
      let older: RunningProxy;
      let newer: RunningProxy;
      let key: string;
      let longWait: Promise<Response>;

      before(async () => {
        pod = await startMockBackend({ reply: { writes: [frameOf(chunkOf({ content: 'first' }))], after: 'hang' } });
        const rare = { ...marketModel('rare', 8), reserve: 5 };
        // On SQLite: the one database of scripts/with-mariadb is not for two gateways.
        folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'));
        site = await makeSite(
          selling([marketModel('tide', 8), held(pod.url), rare], {
            trust_proxy: 1,
            limits: { public_requests_per_minute_per_address: PUBLIC_REQUESTS },
          }),
          { DATABASE_URL: `sqlite:${join(folder, 'sluice.sqlite')}` },
        );
        key = (await site.openAccount('proxied', '100')).apiKey;
        gateway = await site.start();
        [older, newer] = [await start(gateway.url, false), await start(gateway.url, true)];
        longWait = order({ model: 'rare', price_limit: LOW, max_wait: LONG_WAIT_S });
        // Tests count what waits.
        await until(async () => (await statuses('model=rare&status=queued')).length === 1);
      });
      after(async () => {
        await older?.stop();
        await newer?.stop();
        await gateway?.kill();
        site?.remove();
        rmSync(folder, { recursive: true, force: true });
        await pod?.close();
      });

      function order(more: object, init: RequestInit = {}, proxy = older): Promise<Response> {
        const messages = [{ role: 'user', content: 'Hi' }];
        return proxy.fetch('/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'tide', price_limit: HIGH, messages, ...more }),
          ...init,
        });
      }

      async function statuses(query: string): Promise<string[]> {
        const response = await older.fetch(`/v1/orders?${query}`, { headers: { authorization: `Bearer ${key}` } });
        const { data } = (await response.json()) as { data: { status: string }[] };
        return data.map(({ status }) => status);
      }

      test('a token arrives while the rest is not there yet, and a caller who hangs up stops the pod', async () => {
        for (const [at, proxy] of [older, newer].entries()) {
          const leaving = new AbortController();
          const { body } = await order({ model: 'held', stream: true }, { signal: leaving.signal }, proxy);
          const reader = (body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
          let streamed = '';
          while (!streamed.includes('first'))
            streamed += (await reader.read()).value ?? assert.fail('the stream ended');
          leaving.abort();
          await reader.read().catch(() => null);
          await pod.aborted(at + 1);
        }
      });

      test('a caller who hangs up cancels an order that waits, stream or not', async () => {
        for (const proxy of [older, newer])
          for (const stream of [false, true]) {
            const model = { model: 'rare', price_limit: LOW, stream };
            const waiting = (await statuses('model=rare&status=queued')).length;
            const leaving = new AbortController();
            const left = order(model, { signal: leaving.signal }, proxy).catch(() => null);
            await until(async () => (await statuses('model=rare&status=queued')).length === waiting + 1);
            leaving.abort();
            await left;
            await until(async () => (await statuses('model=rare&status=queued')).length === waiting);
          }
      });

      test('a body of 8 MiB arrives, and beyond it the gateway refuses', async () => {
        const image = (bytes: number) => {
          const url = `data:image/png;base64,${'A'.repeat(bytes)}`;
          return { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
        };
        for (const proxy of [older, newer]) {
          const taken = await order(image(8 * MIB - 1024), {}, proxy);
          assert.equal(taken.status, 200, await taken.text());
          const refused = await order(image(9 * MIB), {}, proxy);
          assert.deepEqual([refused.status, codeOf(await refused.json())], [413, 'request_too_large']);
        }
      });

      test('curl that closes its connection gets the refusal of a body too large, from the gateway and through nginx', () => {
        const file = join(folder, 'large');
        writeFileSync(file, Buffer.alloc(20 * MIB, 'x'));
        // Caddy closes half a second after a reply, as Go's servers do, however much its caller still sends.
        for (const base of name === 'nginx' ? [gateway.url, older.url] : [gateway.url]) {
          const at = new URL(base);
          const sent = [
            '--silent',
            '--insecure',
            '--resolve',
            `${at.hostname}:${at.port}:127.0.0.1`,
            '--http1.1',
            '--max-time',
            '60',
            '--data-binary',
            `@${file}`,
          ];
          const headers = [
            'Expect:',
            'Connection: close',
            `Authorization: Bearer ${key}`,
            'Content-Type: application/json',
          ];
          const args = [...sent, ...headers.flatMap((header) => ['--header', header]), `${base}/v1/chat/completions`];
          const { status, stdout, stderr } = spawnSync('curl', ['--show-error', ...args], { encoding: 'utf8' });
          assert.equal(status, 0, stderr);
          assert.equal(codeOf(JSON.parse(stdout)), 'request_too_large');
        }
      });

      test('a file of 50 MiB arrives, and comes back whole', async () => {
        const content = Buffer.alloc(50 * MIB, `${'x'.repeat(1023)}\n`);
        const boundary = 'a-boundary';
        const body = Buffer.concat([
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n`),
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="in.jsonl"\r\n\r\n`),
          content,
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]);
        const headers = { authorization: `Bearer ${key}` };
        const form = { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` };
        const uploaded = await older.fetch('/v1/files', { method: 'POST', headers: form, body });
        const stored = (await uploaded.json()) as { id: string; bytes: number };
        assert.deepEqual([uploaded.status, stored.bytes], [200, content.length]);
        const read = await older.fetch(`/v1/files/${stored.id}/content`, { headers });
        assert.ok(content.equals(Buffer.from(await read.arrayBuffer())));
      });

      test('a person signs in to the console', async () => {
        const { json } = await site.command(
          'member',
          'invite',
          'ops@example.com',
          '--operator',
          'operator',
          '--url',
          newer.url,
        );
        const token = new URL(String(json.link)).hash.slice(1);
        const page = await newer.fetch('/console');
        assert.match(await page.text(), /<script/);
        const signedIn = await newer.fetch('/settings/api/sign-in/link', {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: newer.url, 'sec-fetch-site': 'same-origin' },
          body: JSON.stringify({ token }),
        });
        const cookie = signedIn.headers.get('set-cookie') ?? '';
        assert.equal(signedIn.status, 200, await signedIn.text());
        assert.match(cookie, /^__Host-sluice-session=.*; Secure/);
        const overview = await newer.fetch('/console/api/overview', {
          headers: { cookie: cookie.split(';')[0] ?? '' },
        });
        assert.equal(overview.status, 200);
      });

      test('callers cannot choose their address', async () => {
        let status = 200;
        // Each of these addresses would have a limit of its own.
        for (let at = 1; status === 200 && at < 255; at++) {
          const response = await older.fetch('/v1/models', { headers: { 'x-forwarded-for': `203.0.113.${at}` } });
          await response.arrayBuffer();
          status = response.status;
        }
        assert.equal(status, 429);
      });

      test('no timeout is below an hour', async () => {
        const effective = await older.effective();
        if (name === 'nginx') {
          assert.deepEqual(effective.match(/proxy_(?:read|send)_timeout \w+/g), [
            'proxy_read_timeout 1h',
            'proxy_send_timeout 1h',
          ]);
          assert.match(effective, /proxy_ignore_client_abort off/);
        } else assert.deepEqual(effective.match(/"\w*(?:timeout|interval)":-?\w+/g), ['"idle_timeout":60000000000']);
      });

      test('an order that waits longer than proxies usually do gets the gateway’s answer', async () => {
        const response = await longWait;
        assert.deepEqual([response.status, codeOf(await response.json())], [408, 'order_expired']);
      });
    });
});

function codeOf(json: unknown): unknown {
  return (json as { error: { code: unknown } }).error.code;
}
