/** One account fills a small disk with uploads: it is refused, and the orders and files of others go on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

const MIB = 1024 * 1024;
const CONFIGURATION = selling([marketModel('tide', 4)], { disk_reserve_bytes: 8 * MIB });

describe('a disk of 100 MiB', { skip: process.getuid?.() === 0 ? false : 'only root may mount one' }, () => {
  let mounted: string;
  let site: Site;
  let gateway: GatewayProcess;

  before(async () => {
    mounted = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', mounted]);
    mkdirSync(join(mounted, 'data'));
    site = await makeSite(CONFIGURATION, { SLUICE_DATA: join(mounted, 'data') });
    gateway = await site.start();
  });
  after(async () => {
    await gateway?.kill();
    execFileSync('umount', [mounted]);
    rmSync(mounted, { recursive: true });
    site?.remove();
  });

  async function upload(key: string, mib: number): Promise<Response> {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([Buffer.alloc(mib * MIB, '\n')]), 'lines.jsonl');
    const headers = { authorization: `Bearer ${key}` };
    return fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  }

  test('has room for others however much one account uploads, with almost no balance too', async () => {
    const { apiKey: greedy } = await site.openAccount('greedy', '0.000000001', '--force');
    const { apiKey: modest } = await site.openAccount('modest', '10');
    const uploads = await Promise.all(Array.from({ length: 9 }, () => upload(greedy, 9)));
    uploads.push(await upload(greedy, 9), await upload(greedy, 9));
    const refused = uploads.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < uploads.length, `${refused.length} were refused`);
    const answer = refused[0] ?? assert.fail();
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '30']);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'rate_limit_error');
    assert.match(error.message, /^This account stores as much as it leaves free/);
    assert.equal((await upload(modest, 5)).status, 200);
    const headers = { authorization: `Bearer ${modest}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], price_limit: 10, detached: true });
    const order = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    assert.equal(order.status, 202);
    const { id } = (await order.json()) as { id: string };
    await until(async () => {
      const found = await fetch(`${gateway.url}/v1/orders/${id}`, { headers });
      return ((await found.json()) as { status: string }).status === 'done';
    });
  });
});
