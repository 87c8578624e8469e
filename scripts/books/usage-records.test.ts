import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { compareReceipts, type Owner } from './usage-records.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

interface Record {
  readonly order_id: string;
  readonly charged_usd: number;
}

/** An owner whose gateway has these usage records, in pages of two, and this balance. */
async function ownerOf(records: readonly Record[], balanceUsd: number): Promise<Owner> {
  const server = createServer((request, response) => {
    const start = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
    const more = start + 2 < records.length;
    const first = start === 0;
    response.end(
      JSON.stringify({
        balance_usd: first ? balanceUsd : null,
        total_charged_usd: first ? records.reduce((sum, { charged_usd }) => sum + charged_usd, 0) : null,
        next_cursor: more ? String(start + 2) : null,
        data: records.slice(start, start + 2),
      }),
    );
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' };
}

const RECORDS = ['a', 'b', 'c'].map((order_id) => ({ order_id, charged_usd: 2 }));

test('when each receipt has a usage record with its charge, on any page, there is no finding', async () => {
  const owner = await ownerOf(RECORDS, 4);
  const receipts = [
    { orderId: 'a', chargedUsd: 2 },
    { orderId: 'c', chargedUsd: 2 },
  ];
  assert.deepEqual(await compareReceipts(owner, receipts, 10), []);
});

test('a receipt without a usage record is found', async () => {
  assert.deepEqual(await compareReceipts(await ownerOf(RECORDS, 4), [{ orderId: 'd', chargedUsd: 2 }], 10), [
    'order d: a receipt was received, no usage record exists',
  ]);
});

test('a receipt whose charge differs from its record is found', async () => {
  assert.deepEqual(await compareReceipts(await ownerOf(RECORDS, 4), [{ orderId: 'b', chargedUsd: 3 }], 10), [
    'order b: the receipt says 3, the usage record 2',
  ]);
});

test('a balance other than credit minus charges is found', async () => {
  assert.deepEqual(await compareReceipts(await ownerOf(RECORDS, 5), [], 10), [
    'balance 5 and charges 6 do not make the 10 credited',
  ]);
});
