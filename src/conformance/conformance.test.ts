/** Every check holds of this gateway, and fails of one that answers anything else. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { groups } from './checks.ts';
import { type CheckOutcome, conformanceOf, firstModel, startingLimit } from './run.ts';

const ids = idSource(systemClock);
const CONFIGURATION = `
default_model: tide
models:
  - id: tide
    type: market
    context_length: 32768
    max_output_length: 4096
    floor: 0.01
    ceiling: 100
    pricing_ratio: {cached: 0.1, uncached: 1, output: 4}
    pods: [{id: tide-1, simulated: true, slots: 4}]
`;

describe('conformance of this gateway', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let key: string;
  before(async () => {
    site = await makeSite(CONFIGURATION);
    gateway = await site.start();
    const { json: account } = await site.command('account', 'create', 'checks', '--credit', '10');
    const { json: made } = await site.command('key', 'create', String(account.account_id));
    key = String(made.api_key);
  });
  after(async () => {
    await gateway.stop();
    site.remove();
  });

  it('every check holds', async () => {
    const { url } = gateway;
    const model = await firstModel({ url, key, ids });
    assert.equal(model, 'tide');
    const priceLimit = await startingLimit({ url, key, model, ids });
    const outcomes = await conformanceOf({ url: `${url}/v1/`, key, model, priceLimit, ids });
    assert.deepEqual(
      outcomes.filter(({ result }) => result !== 'holds'),
      [],
    );
    assert.equal(
      outcomes.length,
      groups.reduce((sum, { checks }) => sum + checks.length, 0),
    );
  });

  it('the command prints a line for each, and ends with 0', async () => {
    const { exitCode, json } = await site.command('conformance', gateway.url, key);
    assert.deepEqual([exitCode, json.fails, json.absent, json.model], [0, 0, 0, 'tide']);
  });

  it('a header that is none is refused, and one that is reaches the gateway', async () => {
    const wrong = await site.command('conformance', gateway.url, key, '--header', 'nothing');
    assert.match(JSON.stringify(wrong.json), /nothing is no header/);
    const options = { url: gateway.url, key, model: 'tide', priceLimit: 1, ids, headers: { 'x-max-price': 'cheap' } };
    const { result, reason } =
      (await conformanceOf(options)).find(({ check }) => check.startsWith('messages: content')) ?? {};
    assert.equal(result, 'fails', String(reason));
  });

  it('with a key that is none the command says which checks fail, and ends with 1', async () => {
    const { exitCode, json } = await site.command('conformance', gateway.url, 'sk-nobody', '--model', 'tide');
    assert.equal(exitCode, 1);
    assert.ok(Number(json.fails) > 10, `${json.fails} fail`);
  });

  it('an address at which nobody listens is said to be one', async () => {
    const { exitCode, json } = await site.command('conformance', 'http://127.0.0.1:9', key);
    assert.equal(exitCode, 1);
    assert.match(JSON.stringify(json), /http:\/\/127\.0\.0\.1:9 cannot be reached/);
  });
});

/** What came of each check against a server that answers every request like this. */
async function against(status: number, type: string, body: string): Promise<CheckOutcome[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await conformanceOf({ url: `http://127.0.0.1:${port}`, key: 'k', model: 'm', priceLimit: 1, ids });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('no check holds of a server', () => {
  const wrong: [string, number, string, string][] = [
    ['that answers everything with an empty object', 200, 'application/json', '{}'],
    ['that answers everything with a page', 200, 'text/html', '<p>Welcome'],
    ['whose streams end at once', 200, 'text/event-stream', 'data: [DONE]\n\n'],
    ['that is out of order', 500, 'application/json', '{"error":{"message":"m","type":"t"}}'],
  ];
  for (const [what, status, type, body] of wrong) {
    it(what, async () => {
      const outcomes = await against(status, type, body);
      assert.deepEqual(
        outcomes.filter(({ result }) => result === 'holds').map(({ check }) => check),
        [],
      );
      assert.ok(outcomes.every(({ result, reason }) => result === 'absent' || reason));
    });
  }

  it('of what a server does not have at all, nothing fails', async () => {
    const outcomes = await against(404, 'text/plain', 'not found');
    const absent = outcomes.filter(({ result }) => result === 'absent').map(({ group }) => group);
    assert.ok(absent.includes('market and receipts'), `${absent}`);
    assert.ok(outcomes.some(({ check, result }) => check.startsWith('chat:') && result === 'fails'));
  });
});
