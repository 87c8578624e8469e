import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';
import { openConnections, SEND_MS_MAX, type SenderOptions, type Sent } from './sender.ts';

describe('a message is sent', () => {
  const clock = new ManualClock();
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await webhookReceiver();
  });
  after(() => receiver.close());

  async function send(url: string, more: Partial<SenderOptions> = {}, body = '{}'): Promise<Sent> {
    const connections = openConnections(url, { clock, allow: [], ...more });
    try {
      return await connections.post(['content-type', 'application/json', 'webhook-id', 'evt_1'], body);
    } finally {
      await connections.close();
    }
  }
  const allowed = () => ({ allow: [receiver.host] });

  test('to an allowed host, with its path and query, and the status comes back', async () => {
    receiver.answer = (_, response) => response.writeHead(202).end('thanks');
    assert.deepEqual(await send(`${receiver.url}?of=me`, allowed(), '{"type":"x"}'), { status: 202 });
    assert.equal(receiver.came.at(-1)?.text, '{"type":"x"}');
    assert.equal(receiver.came.at(-1)?.id, 'evt_1');
  });

  test('to no address that is not public, whatever name it has', async () => {
    const cameBefore = receiver.came.length;
    const { port } = new URL(receiver.url);
    const notPublic = /that is not public\.$/;
    for (const address of [
      ...['127.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::1', '10.0.0.1', 'fd00:ec2::254'],
    ]) {
      const sent = await send(`https://example.com:${port}/`, { resolve: async () => [address] });
      assert.match('error' in sent ? sent.error : '', notPublic, address);
    }
    const mixed = await send(`https://example.com:${port}/`, { resolve: async () => ['1.1.1.1', '127.0.0.1'] });
    assert.match('error' in mixed ? mixed.error : '', notPublic, 'one of several');
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', 'metadata.google.internal', 'localhost']) {
      const sent = await send(`https://${host}:${port}/latest/meta-data/`);
      assert.match('error' in sent ? sent.error : '', /not a host of the public internet/, host);
    }
    assert.equal(receiver.came.length, cameBefore);
  });

  test('only to the address that was looked at, with a certificate of the name: a name that changes is no way in', async () => {
    const asked: string[] = [];
    const used: unknown[] = [];
    // As in DNS rebinding: public when it is looked at, this machine from then on.
    const resolve = async (name: string) => (asked.push(name) === 1 ? ['2606:4700::1111'] : ['127.0.0.1']);
    const connect: SenderOptions['connect'] = ({ hostname, servername }, callback) => {
      used.push([hostname, servername]);
      callback(Object.assign(new Error('x'), { code: 'ENETUNREACH' }), null);
    };
    const first = await send('https://rebind.example.com/', { resolve, connect });
    assert.deepEqual(first, { error: 'The connection failed: ENETUNREACH.' });
    const second = await send('https://rebind.example.com/', { resolve, connect });
    assert.match('error' in second ? second.error : '', /has an address that is not public/);
    assert.deepEqual(asked, ['rebind.example.com', 'rebind.example.com'], 'once for each connection');
    assert.deepEqual(used, [['2606:4700::1111', 'rebind.example.com']]);
  });

  test('once: a redirect is not followed', async () => {
    const other = createServer((_request, response) => response.end());
    let followed = 0;
    other.on('connection', () => followed++);
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    for (const status of [301, 302, 307, 308]) {
      receiver.answer = (_, response) => response.writeHead(status, { location }).end();
      assert.deepEqual(await send(receiver.url, allowed()), { status });
    }
    assert.equal(followed, 0);
    other.close();
    await once(other, 'close');
  });

  test('and an answer that never comes is waited for ten seconds', async () => {
    let came = false;
    receiver.answer = () => {
      came = true;
    };
    const sent = send(receiver.url, allowed());
    await until(() => came);
    await clock.advance(SEND_MS_MAX);
    assert.deepEqual(await sent, { error: 'There was no answer within 10 s.' });
  });

  test('and of an answer without end 64 kB are read', async () => {
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
      };
      response.on('drain', more);
      more();
    };
    assert.deepEqual(await send(receiver.url, allowed()), { status: 200 });
    assert.ok(written < 50_000_000, 'it is not read on');
  });

  test('and an answer whose body hangs counts by its status', async () => {
    let came = false;
    receiver.answer = (_, response) => {
      response.writeHead(205, { 'content-length': '5' });
      response.write('a');
      came = true;
    };
    const sent = send(receiver.url, allowed());
    await until(() => came);
    let done = false;
    void sent.then(() => {
      done = true;
    });
    // The head may still be on its way: time passes until it has come.
    while (!done) await clock.advance(SEND_MS_MAX);
    assert.ok(['{"status":205}', '{"error":"There was no answer within 10 s."}'].includes(JSON.stringify(await sent)));
  });

  test('and one that is down, or speaks no TLS, is reported in a sentence', async () => {
    const port = await freePort();
    const allow = [`127.0.0.1:${port}`];
    assert.deepEqual(await send(`http://127.0.0.1:${port}/`, { allow }), {
      error: 'The connection failed: ECONNREFUSED.',
    });
    const plain = await send(receiver.url.replace('http:', 'https:'), allowed());
    assert.match('error' in plain ? plain.error : '', /^The connection failed: [A-Z_]+\.$/);
    const nameless = await send('https://example.com/', {
      resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    });
    assert.deepEqual(nameless, { error: 'The connection failed: ENOTFOUND.' });
  });
});

/** Resolves when this holds; each turn of the event loop looks again. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
