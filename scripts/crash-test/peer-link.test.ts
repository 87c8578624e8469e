import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { freePort } from '#testing/free-port.ts';
import { type PeerLink, peerLink } from './peer-link.ts';

describe('the link of a gateway', () => {
  let link: PeerLink;
  let client: Socket;
  let there: Socket;
  let arrived: string;
  let close: () => void;

  beforeEach(async () => {
    arrived = '';
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = await freePort();
    link = await peerLink(port, '127.0.0.1', '127.0.0.1', (server.address() as AddressInfo).port);
    const accepted = once(server, 'connection');
    client = connect({ host: '127.0.0.1', port });
    [there] = await accepted;
    there.on('data', (bytes: Buffer) => {
      arrived += bytes;
    });
    close = () => server.close();
  });
  afterEach(async () => {
    client.destroy();
    await link.close();
    close();
  });

  /** Resolves when the text has arrived. */
  async function whenArrived(text: string): Promise<void> {
    while (arrived.length < text.length) await once(there, 'data');
    assert.equal(arrived, text);
  }

  /** Sends it, and resolves when the link has it and keeps it back. */
  async function keptBack(text: string): Promise<void> {
    client.write(text);
    while (link.held === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  test('loses nothing of what comes while it is silent', async () => {
    client.write('one ');
    await whenArrived('one ');
    link.state = 'silent';
    await keptBack('two ');
    assert.equal(arrived, 'one ');
    link.state = 'open';
    client.write('three');
    await whenArrived('one two three');
  });

  test('what comes after a slow time does not overtake what came in it', async () => {
    link.state = 'slow';
    await keptBack('one ');
    link.state = 'open';
    client.write('two');
    await whenArrived('one two');
  });
});
