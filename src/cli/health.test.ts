/** `sluice health` against servers that answer, and that do not. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { showHealth } from './health.ts';
import type { CommandResult } from './output.ts';

const WORKS = {
  ok: true,
  db: true,
  market_loop: true,
  role: 'leader',
  queued: 2,
  inflight: 3,
  pods: 4,
  healthy_pods: 1,
};

async function healthOf(answer: RequestListener): Promise<CommandResult> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await showHealth(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify(body));

test('a gateway that works is shown with its pods and orders', async () => {
  const { json: told, text, exitCode } = await healthOf(json(200, { ...WORKS, disk_low: false }));
  assert.match(text, /works\..*\n1 of 4 pods are healthy; 2 orders wait, 3 run\.$/);
  assert.deepEqual([told.ok, told.healthy_pods, exitCode], [true, 1, undefined]);
  const low = await healthOf(json(200, { ...WORKS, role: 'draining', disk_low: true }));
  assert.match(low.text, /works \(draining\)[\s\S]*Less disk space is free/);
});

test('one that does not work exits 1, and says what fails', async () => {
  const database = await healthOf(json(503, { ...WORKS, ok: false, db: false }));
  assert.match(database.text, /does not work: its database does not answer\./);
  const loop = await healthOf(json(503, { ...WORKS, ok: false, market_loop: false }));
  assert.match(loop.text, /does not trade: its market loop stands still\./);
  assert.deepEqual([database.exitCode, loop.exitCode, database.json.ok], [1, 1, false]);
});

test('what is no gateway, or is not there, exits 1', async () => {
  const page = await healthOf((_, response) => response.end('<html>'));
  assert.match(page.text, /answered GET \/healthz with something that is no JSON\./);
  const other = await healthOf(json(404, { error: {} }));
  assert.match(other.text, /answered 404 to GET \/healthz, as no gateway does\./);
  const broken = await healthOf((request) => request.socket.destroy());
  assert.match(broken.text, /cannot be reached \(\w+\); start it, or name its address with --url\./);
  for (const { exitCode, json: told } of [page, other, broken]) assert.deepEqual([exitCode, told.ok], [1, false]);
});
