/** Pods that an operator adds while the gateway runs, and removes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { cannedReply, errorReply, startMockBackend } from '#testing/mock-backend.ts';
import type { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { merged, testConfiguration } from './support/configuration.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const MIB = 1024 * 1024;

describe('POST /console/api/pods and DELETE /console/api/pods/{id}', () => {
  const own = { trust_proxy: 1 };
  const server = useServer(own);
  const order = () => server.api.call('createChatCompletion', { body: chat({ model: 'tide' }) });
  const pod = (more: object = {}) => ({
    ...{ model: 'tide', pod: 'added-1', address: server.backend.url, slots: 2, served_model: 'other' },
    ...more,
  });
  const podsNow = async (browser: BrowserSession) => (await browser.call('listPods')).body(200).data;
  const find = async (browser: BrowserSession, id: string) =>
    (await podsNow(browser)).find((each) => each.pod === id) ?? null;
  const healthy = (browser: BrowserSession, id: string) =>
    eventually(async () => (await find(browser, id))?.healthy === true, `a healthy pod ${id}`);
  const askToRemove = (browser: BrowserSession, id: string) => browser.call('removePod', { params: { id } });
  const remove = async (browser: BrowserSession, id: string) =>
    assert.equal((await askToRemove(browser, id)).status, 204);
  const logged = (what: string) => server.operator.database.knex('audit_log').where({ what }).orderBy('id');
  const stored = () => server.operator.database.knex('added_pods').pluck('id');

  it('201 a pod is tried, stored and used, also after a restart; its key is sent to it and shown nowhere', async () => {
    const browser = await operatorBrowser(server);
    server.answer(cannedReply({ chunks: 2 }));
    const asked = server.backend.requests.length;
    const body = pod({ api_key: 'key-of-a-pod', model: 'tide' });
    const added = (await browser.call('addPod', { body })).body(201);
    assert.deepEqual([added.reports_usage, added.reports_cached_tokens], [true, true]);
    assert.deepEqual([added.pod.pod, added.pod.added, added.pod.address], ['added-1', true, server.backend.url]);
    const tried = server.backend.requests.slice(asked);
    assert.deepEqual(
      tried.map(({ body: { model }, headers }) => [model, headers.authorization]),
      Array.from({ length: 2 }, () => ['other', 'Bearer key-of-a-pod']),
    );
    assert.equal((await browser.call('addPod', { body })).body(201).pod.pod, 'added-1');
    await healthy(browser, 'added-1');
    await browser.call('drainPod', { params: { id: 'tide-1' } });
    (await order()).body(200);
    assert.equal(server.lastRequest().model, 'other');

    const [change, ...others] = await logged('pod.add');
    assert.deepEqual(others, []);
    assert.match(change.who, /^operator-\d+@example\.com$/);
    assert.deepEqual(JSON.parse(change.after_json), {
      ...{ model: 'tide', address: server.backend.url, served_model: 'other', slots: 2, slots_min: null },
      api_key: 'set',
    });
    const configuration = (await browser.call('getConfiguration')).body(200);
    const settings = configuration.settings.filter(({ setting }) => setting.startsWith('pods[added-1]'));
    assert.ok(settings.some(({ setting, value }) => setting === 'pods[added-1].added' && value === 'true'));
    assert.equal(configuration.file.state, 'same');
    const shown = JSON.stringify([await podsNow(browser), configuration, change.after_json]);
    assert.ok(!shown.includes('key-of-a-pod'));

    await server.restart();
    const again = await operatorBrowser(server);
    await healthy(again, 'added-1');
    assert.equal((await again.call('reloadConfiguration')).body(200).changed.length, 0);
    assert.ok(await find(again, 'added-1'));
    await remove(again, 'added-1');
  });

  it('204 a removed pod takes nothing new, ends what runs there, and no order is canceled', async () => {
    const browser = await operatorBrowser(server);
    (await browser.call('addPod', { body: pod({ slots: 1 }) })).body(201);
    await healthy(browser, 'added-1');
    await browser.call('drainPod', { params: { id: 'tide-1' } });
    const release = server.holdAnswers();
    const running = order();
    await server.orders({ executing: 1 });
    const waiting = order();
    await server.orders({ executing: 1, queued: 1 });
    await remove(browser, 'added-1');
    const leaving = await find(browser, 'added-1');
    assert.deepEqual([leaving?.state, leaving?.slots.busy], ['draining', 1]);
    release();
    (await running).body(200);
    await server.orders({ executing: 0, queued: 1 });
    await eventually(async () => (await find(browser, 'added-1')) === null, 'no pod that leaves');
    await browser.call('resumePod', { params: { id: 'tide-1' } });
    (await waiting).body(200);
    (await askToRemove(browser, 'added-1')).refusal(404, 'not_found');
    const [change] = (await logged('pod.remove')).slice(-1);
    assert.deepEqual([change.subject, change.after_json], ['added-1', null]);
  });

  it('201 a pod that was drained and removed is not drained when it is added again', async () => {
    const browser = await operatorBrowser(server);
    (await browser.call('addPod', { body: pod() })).body(201);
    assert.equal((await browser.call('drainPod', { params: { id: 'added-1' } })).body(200).draining, true);
    (await browser.call('addPod', { body: pod() })).body(201);
    assert.equal((await find(browser, 'added-1'))?.draining, true);
    await remove(browser, 'added-1');
    assert.equal((await browser.call('addPod', { body: pod() })).body(201).pod.draining, false);
    await remove(browser, 'added-1');
  });

  it('400 with what was tried for a pod that does not answer, and nothing is stored', async () => {
    const browser = await operatorBrowser(server);
    const refused = async (more: object) => {
      const { message } = (await browser.call('addPod', { body: pod(more) })).refusal(400, 'invalid_request');
      assert.deepEqual(await stored(), []);
      return message;
    };
    const gone = await startMockBackend();
    await gone.close();
    assert.match(await refused({ address: gone.url }), /nothing listens at http:\S+; .*correct address\./);
    const locked = await startMockBackend({ modelsStatus: 401 });
    assert.match(await refused({ address: locked.url }), /refuses the key; it needs one: set api_key\./);
    await locked.close();
    const other = await startMockBackend({ listed: () => 'llama-3', reply: errorReply(404, 'no such model') });
    assert.match(await refused({ address: other.url }), /It lists llama-3, and not other; correct served_model\./);
    await other.close();
    assert.equal(await find(browser, 'added-1'), null);
  });

  it('400 for a pod that hangs or never ends, and 429 while four are tried', async () => {
    const browser = await operatorBrowser(server);
    const hangs = await startMockBackend({ reply: { writes: [], after: 'hang' } });
    const add = (address: string, at = 0) => browser.call('addPod', { body: pod({ address, pod: `added-${at}` }) });
    const slow = Array.from({ length: 4 }, (_, at) => add(hangs.url, at));
    await eventually(async () => hangs.requests.length === 4, 'four requests');
    (await add(hangs.url)).refusal(429, 'rate_limit_error');
    await server.pass(30_000);
    for (const refused of await Promise.all(slow))
      assert.match(
        refused.refusal(400, 'invalid_request').message,
        /had no answer in 30 s; look at the model server\./,
      );
    await hangs.close();

    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = Buffer.alloc(MIB, 'data: x');
      const sendOn = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', sendOn);
      sendOn();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const { port } = endless.address() as AddressInfo;
    const refused = await add(`http://127.0.0.1:${port}/v1`);
    assert.match(refused.refusal(400, 'invalid_request').message, /failed: an event is too long\./);
    endless.closeAllConnections();
    endless.close();
    assert.deepEqual(await stored(), []);
  });

  it('400 for a wrong field, a name that is taken, or the address and model of another pod', async () => {
    const browser = await operatorBrowser(server);
    const asked = server.backend.requests.length;
    const param = async (more: object) =>
      (await browser.call('addPod', { body: pod(more) })).refusal(400, 'invalid_request').param;
    assert.equal(await param({ pod: 'tide-1' }), 'pod');
    assert.equal(await param({ served_model: 'upstream' }), 'address');
    assert.equal(await param({ pod: '../x' }), 'pod');
    for (const address of ['gpu-1:8000', 'ftp://gpu-1/v1', 'http://u:p@gpu-1/v1', 'http://gpu-1/v1/chat/completions'])
      assert.equal(await param({ address }), 'address', address);
    assert.equal(await param({ slots: 0 }), 'slots');
    assert.equal(await param({ slots_min: 3 }), 'slots_min');
    assert.equal(await param({ api_key: 'two words' }), 'api_key');
    assert.equal(await param({ engine: 'steam' }), 'engine');
    assert.equal(await param({ url: 'http://gpu-1/v1' }), 'url');
    assert.equal(server.backend.requests.length, asked);
    (await browser.call('addPod', { body: pod() })).body(201);
    assert.equal(await param({ slots: 3 }), 'pod');
    assert.equal(await param({ pod: 'added-2' }), 'address');
    assert.deepEqual(await stored(), ['added-1']);
    await remove(browser, 'added-1');
  });

  it('404 for a model or a pod that there is not, 400 to remove a pod of the file, 413 for an oversized form', async () => {
    const browser = await operatorBrowser(server);
    (await browser.call('addPod', { body: pod({ model: 'nothing' }) })).refusal(404, 'not_found');
    (await browser.call('addPod', { body: pod({ api_key: 'x'.repeat(65_536) }) })).refusal(413, 'request_too_large');
    (await askToRemove(browser, 'added-9')).refusal(404, 'not_found');
    const { message } = (await askToRemove(browser, 'tide-1')).refusal(400, 'invalid_request');
    assert.match(message, /The configuration file has the pod tide-1; remove it there and reload\./);
    assert.ok(await find(browser, 'tide-1'));
  });

  it('a pod of the file takes the place of an added one with its id, or its address and model', async () => {
    const browser = await operatorBrowser(server);
    const settings = merged(testConfiguration(server.backend.url), own);
    const file = (...pods: object[]) => ({
      ...settings,
      models: (settings.models as { id: string; pods: object[] }[]).map((model) =>
        model.id === 'tide' ? { ...model, pods: [...model.pods, ...pods] } : model,
      ),
    });
    const reload = async () => (await browser.call('reloadConfiguration')).body(200);
    (await browser.call('addPod', { body: pod() })).body(201);
    const inFile = { id: 'tide-2', url: server.backend.url, model: 'other', slots: 5 };
    for (const entry of [inFile, { ...inFile, id: 'added-1', model: 'another' }]) {
      await server.rewrite(file(entry));
      await reload();
      const { data } = (await browser.call('listPods')).body(200);
      const shown = data.filter((each) => each.model === 'tide' && each.state !== 'draining');
      assert.deepEqual(shown.map((each) => [each.pod, each.added, each.slots.configured]).slice(1), [
        [entry.id, false, 5],
      ]);
    }
    await server.rewrite(settings);
    await reload();
    assert.equal((await find(browser, 'added-1'))?.added, true);
    await server.rewrite(file({ ...inFile, id: 'added-1' }));
    await reload();
    await remove(browser, 'added-1');
    assert.equal((await find(browser, 'added-1'))?.added, false);
    await server.rewrite(settings);
    await reload();
  });
});
