import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { listening } from './listening.ts';
import { TcpProxy } from './tcp-proxy.ts';

describe('a proxy', () => {
  let proxy: TcpProxy;
  let client: Socket;
  let there: Socket;
  let arrived: string;
  let close: () => Promise<void>;

  beforeEach(async () => {
    arrived = '';
    const server = createServer();
    const { port, close: closeServer } = await listening(server);
    proxy = new TcpProxy();
    proxy.target = { port };
    const accepted = once(server, 'connection');
    client = connect({ host: '127.0.0.1', port: await proxy.listen() });
    [there] = await accepted;
    for (const socket of [client, there]) socket.on('error', () => {});
    there.on('data', (bytes: Buffer) => {
      arrived += bytes;
    });
    close = closeServer;
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
    await close();
  });

  /** Resolves when the text has arrived. */
  async function whenArrived(text: string): Promise<void> {
    while (arrived.length < text.length) await once(there, 'data');
    assert.equal(arrived, text);
  }

  /** Sends it, and resolves when the proxy has it and keeps it back. */
  async function keptBack(text: string): Promise<void> {
    client.write(text);
    while (proxy.held === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test('loses nothing of what comes while it is silent', async () => {
    client.write('one ');
    await whenArrived('one ');
    proxy.delay(Number.POSITIVE_INFINITY, 'toward');
    await keptBack('two ');
    assert.equal(arrived, 'one ');
    proxy.delay(0, 'toward');
    client.write('three');
    await whenArrived('one two three');
  });

  test('what comes after a slow time does not overtake what came in it', async () => {
    proxy.delay(120, 'toward', 'back');
    await keptBack('one ');
    proxy.delay(0, 'toward', 'back');
    client.write('two');
    await whenArrived('one two');
  });

  test('delays what comes, and cuts connections', async () => {
    proxy.delay(20, 'toward');
    await keptBack('late');
    await whenArrived('late');
    const ends = [once(client, 'close').catch(() => {}), once(there, 'close').catch(() => {})];
    proxy.cut();
    await Promise.all(ends);
  });
});
