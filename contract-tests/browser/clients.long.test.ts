/** The official clients, unmodified, in a page of another origin: a browser refuses what Node does not check. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Address, ClientDriver } from '../clients/client-driver.ts';
import { describeJourneys } from '../clients/journeys.ts';
import { promptOf, repliesByPrompt } from '../clients/pod-kinds.ts';
import { type TestServer, useServer } from '../support/server.ts';
import { type OpenPage, openPage } from './chromium.ts';
import type * as pageFunctions from './in-page.ts';

declare const inPage: typeof pageFunctions;

const DRIVERS = [
  'openai 7, in chat',
  'openai 6, in responses',
  '@anthropic-ai/sdk 1',
  '@anthropic-ai/sdk 0',
] as const satisfies readonly (keyof typeof pageFunctions.drivers)[];

describe('in Chromium', () => {
  let opened: OpenPage;
  before(async () => {
    opened = await openPage();
  });
  after(() => opened?.close());
  afterEach(() => assert.deepEqual(opened.problems, []));

  for (const name of DRIVERS) describeJourneys(`${name}, in Chromium`, (address) => driverOf(name, address));

  function driverOf(driver: (typeof DRIVERS)[number], { url, key, model }: Address): ClientDriver {
    const send = (how: keyof ClientDriver, prompt: string, leaveAfter?: number) => {
      const request = { driver, address: { url, key, model }, how, prompt, leaveAfter };
      return opened.page.evaluate((request) => inPage.send(request), request);
    };
    return {
      ask: (prompt) => send('ask', prompt),
      stream: (prompt, leaveAfter) => send('stream', prompt, leaveAfter),
      useTool: async (prompt) => (await send('useTool', prompt)).text,
    };
  }

  describe('a page', () => {
    const server = useServer();
    let address: pageFunctions.PageAddress;

    before(async () => {
      const { key } = await server.createAccount({ keyPriceLimits: { tide: 5 } });
      address = { url: server.api.url, key, model: 'tide' };
      repliesByPrompt(server);
    });

    it('reads the id of an order from the headers, whole and streamed', async () => {
      const ids = await opened.page.evaluate((address) => inPage.orderIds(address), address);
      assert.equal(new Set(ids).size, 2);
      const { data } = (await server.api.as(address.key).call('listOrders')).body(200);
      for (const id of ids) assert.ok(data.some((order) => order.id === id));
    });

    it('reads the code of a refusal and the id of the request', async () => {
      const to = { ...address, model: 'nobody' };
      const { chat, message } = await opened.page.evaluate((address) => inPage.refusals(address), to);
      assert.deepEqual([chat.status, chat.code], [404, 'model_not_found']);
      assert.deepEqual([message.status, message.code], [404, 'model_not_found']);
      assert.ok(chat.requestId && message.requestId);
    });

    it('runs the helpers of the clients, which add headers of their own', async () => {
      const texts = await opened.page.evaluate((address) => inPage.runHelpers(address), address);
      for (const text of texts) assert.match(text ?? '', /word0 word1/);
    });

    it('uploads a file, creates a batch from it, and downloads the output', async () => {
      const messages = [{ role: 'user', content: promptOf('text') }];
      const body = { model: 'tide', messages };
      const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body };
      const started = { address, lines: JSON.stringify(line) };
      const id = await opened.page.evaluate(({ address, lines }) => inPage.startBatch(address, lines), started);
      const asked = { address, id };
      let output: string | null = null;
      while (output === null) {
        await server.pass(100);
        output = await opened.page.evaluate(({ address, id }) => inPage.batchOutput(address, id), asked);
      }
      assert.match(output, /"custom_id":"a".*word0 word1/);
    });
  });

  describe('an EventSource', () => {
    const market = useServer();
    const full = useServer();
    const eventsOf = ({ api }: TestServer, paths: readonly string[]) => {
      const urls = paths.map((path) => `${api.url}/v1/market/${path}`);
      return opened.page.evaluate((urls) => inPage.firstEvents(urls), urls);
    };

    it('reads the three market streams', async () => {
      for (const event of await eventsOf(market, ['stream', 'levels/stream', 'price-lock/stream'])) {
        assert.ok(typeof event === 'object' && event !== null);
      }
    });

    it('gets no sixth stream of an address, and does not retry', async () => {
      const events = await eventsOf(full, Array(6).fill('stream'));
      assert.deepEqual(
        events.map((event) => event === 'closed'),
        [false, false, false, false, false, true],
      );
    });
  });
});
