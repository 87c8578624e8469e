/**
 * A complete gateway that reads its configuration a hundred times while orders run and wait, each time with other pods,
 * slots and prices. Every order must be answered, no pod may be given more orders than it has slots, and the record of
 * the exchange must replay. Waits for answers, never for time.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeSite, type Site } from '#testing/gateway-process.ts';

const RELOADS = 100;
const CLIENTS = 12;
/** Orders that wait all the time, for a model that gets its pods with the last reload. */
const WAITING = 20;
/** Orders for a model that is a preview until the last reload. */
const FIRST = 5;

let site: Site;
let key = '';
before(async () => {
  site = await makeSite(configuration(0));
  const { json: account } = await site.command('account', 'create', 'busy', '--credit', '10000');
  key = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
});
after(() => site?.remove());

/** The file of a reload, which `streams_per_address` tells apart. One pod always stays, with at least one slot. */
function configuration(reload: number): string {
  const lengths = { context_length: 4096, max_output_length: 1024 };
  const pod = (id: string, slots: number, more: object = {}) => ({ id, simulated: true, slots, ...more });
  const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 + (reload % 5) };
  const market = { type: 'market', ...lengths, pricing_ratio, floor: 0.01, ceiling: 100 };
  // Below what some bid, and above; some reloads have a reserve that orders wait below until the next one.
  const bounds = {
    floor: (1 + 10 * (reload % 7)) / 100,
    ceiling: [100, 4, 30, 1000][reload % 4],
    reserve: reload % 10 === 9 ? 2 : 0,
    ...(reload % 6 < 3 ? { max_account_share: 0.5 + (reload % 6) / 10 } : {}),
  };
  const tide = [
    pod('stays', 1 + (reload % 4)),
    ...(reload % 2 === 0 ? [pod('comes-and-goes', 3)] : []),
    ...(reload % 3 === 0 ? [pod(`new-${reload}`, 2)] : []),
    // Another seed is another pod behind the same name.
    pod('replaced', 1 + (reload % 2), { seed: reload }),
  ];
  const usd_per_million = { cached: 0.5, uncached: 1 + (reload % 3), output: 4 };
  return JSON.stringify({
    default_model: 'tide',
    models: [
      { ...market, ...bounds, id: 'tide', pods: tide },
      { ...market, id: 'reef', deprecated: reload % 2 === 1, pods: reload === RELOADS ? [pod('reef-1', 5)] : [] },
      { ...market, id: 'cove', preview: reload < RELOADS, pods: [pod('cove-1', FIRST)] },
      { id: 'harbor', type: 'fixed', ...lengths, usd_per_million, pods: [pod('harbor-1', 1 + (reload % 3))] },
    ],
    probes: { enabled: false },
    market: { recording: join(site?.folder ?? '', 'records') },
    limits: {
      streams_per_address: 10 + reload,
      inference_requests_per_minute_per_key: 1_000_000,
      account_operations_per_minute_per_account: 1_000_000,
      public_requests_per_minute_per_address: 1_000_000,
    },
  });
}

async function call(
  url: string,
  path: string,
  body?: object,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(url + path, sent);
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const order = (model: string, more: object = {}) => ({
  ...{ model, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 8 },
  ...{ x_simulate: { first_token_ms: 2, token_ms: 1, output_tokens: 4 }, ...more },
});

/** The most orders beyond its slots that the record admits to any pod, with how many it admits. */
function mostAboveSlots(lines: readonly string[]): { above: number; admitted: number } {
  const slots = new Map<string, number>();
  const held = new Map<string, number>();
  const at = ({ model, pod }: { model: string; pod: string }) => `${model} ${pod}`;
  let [above, admitted] = [Number.NEGATIVE_INFINITY, 0];
  for (const line of lines) {
    const { command, event } = JSON.parse(line);
    if (command?.type === 'capacity') slots.set(at(command), command.healthy ? command.slots : 0);
    if (command?.type === 'release') held.set(at(command), (held.get(at(command)) ?? 0) - 1);
    if (event?.type !== 'admit') continue;
    admitted++;
    held.set(at(event), (held.get(at(event)) ?? 0) + 1);
    above = Math.max(above, (held.get(at(event)) ?? 0) - (slots.get(at(event)) ?? 0));
  }
  return { above, admitted };
}

test(`${RELOADS} reloads under load: no order is canceled, no pod gets more than its slots, the books agree`, async (t) => {
  writeFileSync(join(site.folder, 'sluice.yaml'), configuration(0));
  const gateway = await site.start();
  t.after(() => gateway.kill());
  const { url, pid } = gateway;
  const waiting: unknown[] = [];
  for (let count = 0; count < WAITING; count++) {
    const { json } = await call(
      url,
      '/v1/chat/completions',
      order('reef', { detached: true, max_wait: 3600, price_limit: 5 }),
    );
    waiting.push(json.id);
  }
  const answers: number[] = [];
  let answered = Promise.withResolvers<void>();
  let over = false;
  const client = async (number: number) => {
    for (let count = 0; !over; count++) {
      const model = number % 3 === 0 ? 'harbor' : 'tide';
      const limit = model === 'tide' ? { price_limit: 1 + ((number * 7 + count) % 50) } : {};
      answers.push((await call(url, '/v1/chat/completions', order(model, limit))).status);
      answered.resolve();
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  const inForce = async () => {
    const { json } = await call(url, '/v1/rate-limits');
    return (json.public as { open_streams_per_address: number }).open_streams_per_address - 10;
  };
  for (let reload = 1; reload <= RELOADS; reload++) {
    writeFileSync(join(site.folder, 'sluice.yaml'), configuration(reload));
    process.kill(pid, 'SIGHUP');
    while ((await inForce()) !== reload) assert.doesNotMatch(gateway.log(), /the previous one stays/);
    answered = Promise.withResolvers();
    await answered.promise;
  }
  over = true;
  await Promise.all(clients);
  const statusOf = async (id: unknown) => (await call(url, `/v1/orders/${id}`)).json.status;
  for (const id of waiting) while ((await statusOf(id)) !== 'done');
  const opened = Array.from({ length: FIRST }, () =>
    call(url, '/v1/chat/completions', order('cove', { price_limit: 5 })),
  );
  for (const { status } of await Promise.all(opened)) answers.push(status);
  assert.equal(await gateway.stop(), 0);

  assert.deepEqual([...new Set(answers)], [200]);
  // Against the last of the files, which came after many of the orders, slots and levels.
  assert.deepEqual((await site.command('audit', '--against-config')).json.findings, []);
  const [record] = readdirSync(join(site.folder, 'records'));
  const file = join(site.folder, 'records', record ?? '');
  assert.equal((await site.command('replay', file)).exitCode, 0);
  const { above, admitted } = mostAboveSlots(readFileSync(file, 'utf8').trimEnd().split('\n'));
  assert.ok(above <= 0, `${above} above its slots`);
  t.diagnostic(
    `${RELOADS} reloads, ${answers.length + WAITING} orders, ${admitted} admissions, none canceled, none above`,
  );
});
