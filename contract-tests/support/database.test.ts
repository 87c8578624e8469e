import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { createTestDatabase, hasDatabaseServer } from './database.ts';
import { startProxy } from './proxy.ts';

describe('a database for one server', () => {
  it('is a SQLite file in the server folder unless a database server is named', {
    skip: hasDatabaseServer,
  }, async () => {
    const database = await createTestDatabase('/some/folder');
    assert.equal(database.url, 'sqlite:/some/folder/sluice.sqlite');
  });

  it('is behind a proxy that refuses connections while it is cut', async () => {
    const target = createServer((socket) => socket.end('hello'));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const address = target.address();
    assert.ok(typeof address === 'object' && address);
    const proxy = await startProxy({ host: '127.0.0.1', port: address.port });
    const greeting = () => everythingFrom(proxy.port);
    assert.equal(await greeting(), 'hello');
    await proxy.cut();
    await assert.rejects(greeting(), /ECONNREFUSED/);
    await proxy.restore();
    assert.equal(await greeting(), 'hello');
    await proxy.cut();
    target.close();
  });
});

async function everythingFrom(port: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of connect(port, '127.0.0.1')) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
