import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, batchWhen, ended, entriesOf, line } from './support/batches.ts';
import type { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { merged, type Settings, testConfiguration } from './support/configuration.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

type Entry = Record<string, unknown>;

describe('POST /console/api/reload', () => {
  const own = { trust_proxy: 1 };
  const server = useServer(own);
  const settings = () => merged(testConfiguration(server.backend.url), own);
  const order = (model: string, api = server.api) => api.call('createChatCompletion', { body: chat({ model }) });
  /** The file of the start, with other settings of these models and at the top. */
  const file = (models: Readonly<Record<string, Entry>>, top: Settings = {}): Settings => {
    const entries = settings().models as readonly Entry[];
    return { ...settings(), ...top, models: entries.map((entry) => ({ ...entry, ...models[String(entry.id)] })) };
  };
  const reload = async (browser: BrowserSession) => (await browser.call('reloadConfiguration')).body(200);
  const names = (changes: readonly { readonly setting: string }[]) => changes.map(({ setting }) => setting);
  const pod = (id: string, more: Entry) => ({ id, url: server.backend.url, slots: 8, model: 'upstream', ...more });
  const podsNow = async (browser: BrowserSession) => (await browser.call('listPods')).body(200).data;

  it('200 nothing to change, and no row of the audit log', async () => {
    const browser = await operatorBrowser(server);
    const nothing = { object: 'reload', changed: [], needs_restart: [] };
    assert.deepEqual(await reload(browser), nothing);
    assert.deepEqual(await server.operator.database.knex('audit_log').where({ what: 'configuration.reload' }), []);
  });

  it('200 pods come, change and go; what runs on one that goes ends there', async () => {
    const browser = await operatorBrowser(server);
    const release = server.holdAnswers();
    const running = order('tide');
    await server.orders({ executing: 1 });
    await server.rewrite(
      file({ tide: { pods: [pod('tide-2', { slots: 3 })] }, harbor: { pods: [pod('harbor-1', { slots: 2 })] } }),
    );
    const { changed, needs_restart } = await reload(browser);
    assert.deepEqual(needs_restart, []);
    assert.deepEqual(changed, [
      { setting: 'pods[tide-1]', before: 'tide', after: null },
      { setting: 'pods[harbor-1].slots', before: '8', after: '2' },
      { setting: 'pods[tide-2]', before: null, after: 'tide' },
    ]);
    await eventually(
      async () => (await podsNow(browser)).find((each) => each.pod === 'tide-2')?.healthy === true,
      'a new pod',
    );
    const next = order('tide');
    await server.orders({ executing: 2 });
    assert.deepEqual(
      (await podsNow(browser)).map((each) => [each.pod, each.draining, each.slots.configured, each.slots.busy]),
      [
        ['tide-2', false, 3, 1],
        ['harbor-1', false, 2, 0],
        ['tide-1', true, 8, 1],
      ],
    );
    release();
    (await running).body(200);
    (await next).body(200);
    await eventually(async () => (await podsNow(browser)).length === 2, 'no pod that leaves');
    const [row] = await server.operator.database.knex('audit_log').where({ what: 'configuration.reload' });
    assert.match(row.who, /^operator-\d+@example\.com$/);
    assert.equal(JSON.parse(row.after_json)['pods[harbor-1].slots'], '2');
    await server.rewrite(settings());
    await reload(browser);
    await eventually(async () => (await podsNow(browser)).every(({ healthy }) => healthy), 'healthy pods');
  });

  // Spec 2.1-26
  it('200 another price of a fixed listing counts for orders that come then; those that are there keep theirs', async () => {
    const browser = await operatorBrowser(server);
    const { key, id } = await server.createAccount();
    const api = server.api.as(key);
    const balance = async () => (await browser.call('showAccount', { params: { id } })).body(200).balance_usd;
    const before = await balance();
    (await order('harbor', api)).body(200);
    const charge = before - (await balance());
    const release = server.holdAnswers();
    const running = order('harbor', api);
    await server.orders({ executing: 1 }, api);
    await server.rewrite(file({ harbor: { usd_per_million: { cached: 0.06, uncached: 0.3, output: 1.2 } } }));
    assert.deepEqual(await reload(browser), {
      object: 'reload',
      changed: [
        {
          setting: 'models[harbor].usd_per_million',
          before: 'cached 0.02, uncached 0.1, output 0.4',
          after: 'cached 0.06, uncached 0.3, output 1.2',
        },
      ],
      needs_restart: [],
    });
    const prices = (await server.api.call('getModel', { params: { model: 'harbor' } })).body(200).pricing;
    assert.partialDeepStrictEqual(prices, { usd_per_million: { output: 1.2 } });
    release();
    (await running).body(200);
    const afterTwo = await balance();
    assert.equal(Math.round((before - afterTwo) * 1e12), Math.round(2 * charge * 1e12));
    (await order('harbor', api)).body(200);
    assert.equal(Math.round((afterTwo - (await balance())) * 1e9), Math.round(3 * charge * 1e9));
  });

  it('200 other prices: the waiting lines of a batch end as prices_changed, uncharged', async () => {
    const browser = await operatorBrowser(server);
    await browser.call('drainPod', { params: { id: 'tide-1' } });
    const { id } = await batchOf(server.api, [line('a'), line('b', { price_limit: 1 })]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress');
    await server.rewrite(file({ tide: { pricing_ratio: { cached: 0.2, uncached: 1, output: 5 } } }));
    await reload(browser);
    const batch = await ended(server, id);
    assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 2, completed: 0, failed: 2 }]);
    const { errors } = await entriesOf(server.api, batch);
    assert.deepEqual(
      errors.map(({ error }) => error?.code),
      ['prices_changed', 'prices_changed'],
    );
    await server.rewrite(file({}));
    await reload(browser);
    await browser.call('resumePod', { params: { id: 'tide-1' } });
  });

  it('200 a model is deprecated while its order waits: the order runs, and a new one is refused', async () => {
    const browser = await operatorBrowser(server);
    await browser.call('drainPod', { params: { id: 'tide-1' } });
    const waiting = order('tide');
    await server.orders({ queued: 1 });
    await server.rewrite(file({ tide: { deprecated: true } }, { default_model: 'harbor' }));
    assert.deepEqual(names((await reload(browser)).changed).slice(0, 2), ['default_model', 'models[tide].deprecated']);
    (await order('tide')).refusal(400, 'model_deprecated');
    await server.orders({ queued: 1 });
    await browser.call('resumePod', { params: { id: 'tide-1' } });
    (await waiting).body(200);
    const { default: standard, data } = (await server.api.call('listModels')).body(200);
    assert.deepEqual([standard, data.some(({ id }) => id === 'tide')], ['harbor', false]);
  });

  it('200 a market with other bounds: its level is within them at once, and its order waits on', async () => {
    const browser = await operatorBrowser(server);
    const levelOf = async () => (await server.api.call('getMarket', { query: { model: 'reef' } })).body(200).level;
    const body = chat({ model: 'reef', detached: true, price_limit: 90 });
    const { id } = (await server.api.call('createChatCompletion', { body })).body(202);
    await server.rewrite(file({ reef: { floor: 7, ceiling: 9, max_account_share: 0.5 } }));
    const { changed, needs_restart } = await reload(browser);
    assert.deepEqual(
      names(changed).filter((name) => name.startsWith('models[reef]')),
      ['models[reef].floor', 'models[reef].ceiling', 'models[reef].max_account_share'],
    );
    assert.deepEqual(needs_restart, []);
    await eventually(async () => (await levelOf()) === 7, 'a level at the floor');
    const order = (await server.api.call('getOrder', { params: { id } })).body(200);
    assert.equal(order.status, 'queued');
    await server.rewrite(file({}));
    await reload(browser);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
  });

  it('200 limits count from then on', async () => {
    const browser = await operatorBrowser(server);
    const limits = { queued_orders_per_account: 1, request_body_bytes: 2_000, streams_per_address: 1 };
    await server.rewrite(
      file({}, { limits: { ...(settings().limits as object), ...limits, active_keys_per_account: 1 } }),
    );
    await reload(browser);
    const shown = (await server.api.call('getRateLimits')).body(200);
    assert.equal(shown.inference.request_body_bytes_max, 2_000);
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const waiting = order('shoal', api);
    await server.orders({ queued: 1 }, api);
    (await order('shoal', api)).refusal(429, 'rate_limit_error');
    const large = chat({ model: 'tide', messages: [{ role: 'user', content: 'x'.repeat(2_000) }] });
    (await api.call('createChatCompletion', { body: large })).refusal(413, 'request_too_large');
    await server.rewrite(file({}, { limits: { inference_requests_per_minute_per_key: 2 } }));
    await reload(browser);
    for (let count = 0; count < 2; count++) (await order('tide', api)).body(200);
    (await order('tide', api)).refusal(429, 'rate_limit_error');
    const { data } = (await api.call('listOrders', { query: { status: 'queued' } })).body(200);
    assert.equal(data.length, 1);
    await api.call('cancelOrder', { params: { id: data[0]?.id ?? '' } });
    (await waiting).refusal(409, 'order_canceled');
    await server.rewrite(settings());
    await reload(browser);
  });

  it('200 what needs a restart is named and stays, beside what is taken', async () => {
    const browser = await operatorBrowser(server);
    await server.rewrite(
      file(
        {
          tide: {
            type: 'fixed',
            pricing_ratio: undefined,
            floor: undefined,
            ceiling: undefined,
            usd_per_million: { cached: 1, uncached: 1, output: 1 },
          },
        },
        { partner_prefix: '/other', trust_proxy: 2, log_level: 'debug', market: { quote: { interval_ms: 20_000 } } },
      ),
    );
    const { changed, needs_restart } = await reload(browser);
    assert.deepEqual(changed, [{ setting: 'log_level', before: 'silent', after: 'debug' }]);
    assert.deepEqual(
      names(needs_restart).filter((name) => !name.startsWith('models[tide].')),
      ['market.quote.interval_ms', 'partner_prefix', 'trust_proxy'],
    );
    (await order('tide')).body(200);
    const again = await reload(browser);
    assert.deepEqual(again, { object: 'reload', changed: [], needs_restart });
    await server.rewrite(settings());
    await reload(browser);
  });

  it('400 a file that is wrong in one line changes nothing, and the line is named', async () => {
    const browser = await operatorBrowser(server);
    const wrong = JSON.stringify(file({ tide: { pods: [] } }, { limits: { queued_orders: 1 } }), null, 2);
    const line = wrong.split('\n').findIndex((text) => text.includes('"floor"')) + 1;
    await server.rewrite(wrong.replace('"floor"', '"flor"'));
    const before = await podsNow(browser);
    const { message } = (await browser.call('reloadConfiguration')).refusal(400, 'invalid_request');
    assert.match(message, new RegExp(`/contract-test\\.yaml:${line}: models\\[0\\]\\.flor .* did you mean floor`));
    await server.rewrite(': no: yaml:');
    (await browser.call('reloadConfiguration')).refusal(400, 'invalid_request');
    assert.deepEqual(await podsNow(browser), before);
    (await order('tide')).body(200);
  });

  it('200 a new model is sold at once: shown with level and quote, with orders that run', async () => {
    const browser = await operatorBrowser(server);
    const lengths = { context_length: 4096, max_output_length: 1024 };
    const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 };
    const lagoon = { id: 'lagoon', type: 'market', ...lengths, pricing_ratio, floor: 2, ceiling: 50 };
    const usd_per_million = { cached: 0.02, uncached: 0.1, output: 0.4 };
    const creek = { id: 'creek', type: 'fixed', ...lengths, usd_per_million };
    const models = settings().models as readonly Entry[];
    const added = [
      { ...lagoon, aliases: ['bay'], pods: [pod('lagoon-1', {})] },
      { ...creek, pods: [pod('creek-1', {})] },
      { ...lagoon, id: 'brook', preview: true },
    ];
    await server.rewrite({ ...settings(), models: [...models, ...added] });
    const { changed, needs_restart } = await reload(browser);
    assert.deepEqual(names(changed), [
      ...['models[lagoon]', 'models[creek]', 'models[brook]', 'pods[lagoon-1]', 'pods[creek-1]'],
    ]);
    assert.deepEqual(needs_restart, []);
    const query = { model: 'bay' };
    const market = (await server.api.call('getMarket', { query })).body(200);
    assert.deepEqual([market.model, market.level], ['lagoon', 2]);
    assert.equal((await server.api.call('getPriceLock', { query })).body(200).price, 2);
    for (const operation of ['getMarketHistory', 'getMarketCandles', 'getMarketDepth'] as const)
      (await server.api.call(operation, { query })).body(200);
    const { levels } = (await server.api.call('listLevels')).body(200);
    assert.deepEqual(
      levels.map(({ model }) => model).filter((model) => added.some(({ id }) => id === model)),
      ['lagoon', 'brook'],
    );
    for (const model of ['bay', 'creek']) (await order(model)).body(200);
    (await order('brook')).refusal(400, 'model_preview');
    const catalog = (await server.api.call('getPartnerCatalog')).text;
    assert.ok(catalog.includes('lagoon') && catalog.includes('creek') && !catalog.includes('brook'));
    await server.pass(2_000);
    const again = await reload(browser);
    assert.deepEqual([again.changed, again.needs_restart], [[], []]);
    await server.rewrite(settings());
    const gone = await reload(browser);
    assert.deepEqual(names(gone.needs_restart).slice(0, 2), ['models[lagoon]', 'models[creek]']);
    for (const model of ['bay', 'creek']) (await order(model)).body(200);
  });

  it('200 a preview opens with its level and takes orders; a market does not become one', async () => {
    const browser = await operatorBrowser(server);
    const market = async () => (await server.api.call('getMarket', { query: { model: 'surge' } })).body(200);
    const before = await market();
    assert.deepEqual([before.preview, before.degraded], [true, false]);
    (await order('surge')).refusal(400, 'model_preview');
    await server.rewrite(file({ surge: { preview: false, pods: [pod('surge-1', {})] } }));
    assert.deepEqual(
      names((await reload(browser)).changed).filter((name) => name.includes('surge')),
      ['models[surge].preview', 'pods[surge-1]'],
    );
    const opened = await market();
    assert.deepEqual([opened.preview, opened.mode], [false, 'clearing']);
    (await order('surge')).body(200);
    assert.equal((await server.api.call('getPriceLock', { query: { model: 'surge' } })).body(200).preview, undefined);
    await server.rewrite(file({ surge: { preview: true } }));
    const again = await reload(browser);
    assert.deepEqual(
      names(again.needs_restart).filter((name) => name.includes('surge')),
      ['models[surge].preview'],
    );
    assert.equal((await market()).preview, false);
  });
});
