import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openDatabase } from '#storage/database/database.ts';
import { createTestDatabase } from './database.ts';
import { startProxy } from './proxy.ts';

describe('a database for one server', () => {
  it('fails every statement of the gateway while it is gone, and none of the operator’s', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-database-'));
    const database = await createTestDatabase(folder);
    const [gateway, operator] = [openDatabase(database.url), openDatabase(database.directUrl)];
    const ask = ({ knex }: typeof gateway) => knex.raw('SELECT 1');
    await ask(gateway);
    await database.outage(async () => {
      await assert.rejects(ask(gateway), (error) => gateway.dialect.isOutage(error));
      await ask(operator);
    });
    await ask(gateway);
    for (const { close } of [gateway, operator]) await close();
    await database.drop();
    await rm(folder, { recursive: true });
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
