/** Every check holds of this gateway, and fails of one that answers anything else. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { checkedSite } from '#testing/checked-site.ts';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { groups } from './checks/all.ts';
import { type CheckOutcome, conformanceOf, firstModel, startingLimit } from './run.ts';
import { specified } from './sentences.ts';

const ids = idSource(systemClock);
const clock = systemClock;

describe('conformance of this gateway', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let key: string;
  before(async () => {
    ({ site, gateway, key } = await checkedSite());
  });
  after(async () => {
    await gateway.stop();
    site.remove();
  });

  it('every check holds', async () => {
    const { url } = gateway;
    const model = await firstModel({ url, key, ids, clock });
    assert.equal(model, 'tide');
    const priceLimit = await startingLimit({ url, key, model, ids, clock });
    const outcomes = await conformanceOf({ url: `${url}/v1/`, key, model, priceLimit, ids, clock });
    assert.deepEqual(
      outcomes.filter(({ result }) => result !== 'holds'),
      [],
    );
    assert.equal(
      outcomes.length,
      groups.reduce((sum, { checks }) => sum + checks.length, 0),
    );
  });

  it('every check names sentences of the specification', () => {
    const ids = groups.flatMap(({ checks }) => checks.flatMap(({ sentences }) => sentences));
    for (const id of ids) assert.ok(specified(id).text, id);
    assert.ok(groups.every(({ checks }) => checks.every(({ sentences }) => sentences.length > 0)));
  });

  it('the command ends with 0, and leaves no files', async () => {
    const { exitCode, json } = await site.command('conformance', gateway.url, key);
    assert.deepEqual([exitCode, json.fails, json.absent, json.late, json.model], [0, 0, 0, 0, 'tide']);
    const files = await fetch(`${gateway.url}/v1/files?purpose=batch`, { headers: { authorization: `Bearer ${key}` } });
    assert.deepEqual(((await files.json()) as { data: unknown[] }).data, []);
  });

  it('a header that is none is refused, and one that is reaches the gateway', async () => {
    const wrong = await site.command('conformance', gateway.url, key, '--header', 'nothing');
    assert.match(JSON.stringify(wrong.json), /nothing is no header/);
    const options = {
      url: gateway.url,
      key,
      model: 'tide',
      priceLimit: 1,
      ids,
      clock,
      headers: { 'x-max-price': 'cheap' },
    };
    const { result, reason } =
      (await conformanceOf(options)).find(({ check }) => check.startsWith('messages: content')) ?? {};
    assert.equal(result, 'fails', String(reason));
  });

  it('with a key that is none the command says which checks fail with their sentences, and ends with 1', async () => {
    const { exitCode, json } = await site.command('conformance', gateway.url, 'sk-nobody', '--model', 'tide');
    assert.equal(exitCode, 1);
    assert.ok(Number(json.fails) > 10, `${json.fails} fail`);
    const [outcome] = (json.outcomes as { result: string; sentences: unknown[] }[]).filter(
      ({ result }) => result === 'fails',
    );
    assert.ok(outcome?.sentences.every((sentence) => typeof (sentence as { text: unknown }).text === 'string'));
  });

  it('an address at which nobody listens is said to be one', async () => {
    const { exitCode, json } = await site.command('conformance', 'http://127.0.0.1:9', key);
    assert.equal(exitCode, 1);
    assert.match(JSON.stringify(json), /http:\/\/127\.0\.0\.1:9 cannot be reached/);
  });
});

/** The outcome of each check against a server that answers every request like this. */
async function against(status: number, type: string, body: string): Promise<CheckOutcome[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await conformanceOf({ url: `http://127.0.0.1:${port}`, key: 'k', model: 'm', priceLimit: 1, ids, clock });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('checks of a server that is no gateway', () => {
  const wrong: [string, number, string, string][] = [
    ['that answers everything with an empty object', 200, 'application/json', '{}'],
    ['that answers everything with a page', 200, 'text/html', '<p>Welcome'],
    ['whose streams end at once', 200, 'text/event-stream', 'data: [DONE]\n\n'],
    ['that is out of order', 500, 'application/json', '{"error":{"message":"m","type":"t"}}'],
  ];
  for (const [what, status, type, body] of wrong) {
    it(`hold nothing of one ${what}`, async () => {
      const outcomes = await against(status, type, body);
      assert.deepEqual(
        outcomes.filter(({ result }) => result === 'holds').map(({ check }) => check),
        [],
      );
      assert.ok(outcomes.every(({ result, reason }) => result === 'absent' || reason));
    });
  }

  it('what was not reached in time neither holds nor fails', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outcomes = await conformanceOf({ url, key: 'k', model: 'm', priceLimit: 1, ids, clock, withinMs: 1 });
    assert.deepEqual(new Set(outcomes.map(({ result }) => result)), new Set(['late']));
    server.closeAllConnections();
    server.close();
  });

  it('of what a server does not have at all, nothing fails', async () => {
    const outcomes = await against(404, 'text/plain', 'not found');
    const absent = outcomes.filter(({ result }) => result === 'absent').map(({ group }) => group);
    assert.ok(absent.includes('market data'), `${absent}`);
    assert.ok(outcomes.some(({ check, result }) => check.startsWith('chat:') && result === 'fails'));
  });
});
