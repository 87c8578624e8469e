/**
 * Makes a kept site: the database and files that the gateway of a checkout left, and its answers to a caller.
 *
 *   node contract-tests/upgrades/make.ts CHECKOUT NAME
 *
 * The checkout has its packages (`npm ci`). Takes three minutes: there must be candles. Uses only what every version has:
 * the command line, HTTP, and `makeSite` of its testing/gateway-process.ts.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from 'tar';

/** A request, and the answer that it had. */
export interface Told {
  readonly path: string;
  /** JSON; none: a GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: string;
}

/** The requests to a kept site, with its answers. */
export interface Known {
  readonly configuration: string;
  readonly apiKey: string;
  readonly endedAtMs: number;
  /** Each has an Idempotency-Key. */
  readonly keyed: readonly Told[];
  readonly reads: readonly Told[];
  readonly candles: Told;
  /** A batch that was running at the end. */
  readonly batchId: string;
}

/** How many lines the batch has that was running. */
export const LINES = 40;
const sizes = { context_length: 8192, max_output_length: 1024 };
const tide = { floor: 0.5, ceiling: 100, pricing_ratio: { cached: 0.1, uncached: 1, output: 4 } };
const harbor = { usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 } };
const podOf = (id: string) => ({ pods: [{ id, simulated: true, slots: 2, seed: 1 }] });
const configuration = JSON.stringify({
  default_model: 'tide',
  models: [
    { id: 'tide', type: 'market', ...sizes, ...tide, ...podOf('tide-1') },
    { id: 'harbor', type: 'fixed', ...sizes, ...harbor, ...podOf('harbor-1') },
  ],
  probes: { enabled: false },
  limits: { account_operations_per_minute_per_account: 1_000_000 },
});

const messages = [{ role: 'user', content: 'Say a few words about rivers.' }];
const CHAT = '/v1/chat/completions';
const chat = (more: object) => JSON.stringify({ messages, max_tokens: 8, ...more });
const keyed: readonly Omit<Told, 'answer'>[] = [
  // More digits than a double keeps.
  { path: CHAT, body: chat({ price_limit: 50, temperature: 0.5 }).replace('0.5', '0.50000000000000000001') },
  { path: CHAT, body: chat({ price_lock: true }), headers: { 'x-price-limit': '60' } },
  { path: CHAT, body: chat({ model: 'harbor' }), headers: { 'x-expires-after': '60' } },
  { path: CHAT, body: chat({ price_limit: 50, stream: true, stream_options: { include_usage: true } }) },
  { path: '/v1/completions', body: '{"prompt":"A river is","max_tokens":8,"price_limit":50}' },
  { path: '/v1/responses', body: '{"input":"What is a river?","max_output_tokens":8,"price_limit":50}' },
  { path: '/v1/messages', body: JSON.stringify({ messages, max_tokens: 8, max_price: 50 }) },
  // So long that its result is a file.
  { path: CHAT, body: chat({ price_limit: 50, max_tokens: 200, logprobs: true, top_logprobs: 20, detached: true }) },
];

/** Makes it, and writes it beside this file. */
async function makeKept(checkout: string, name: string): Promise<void> {
  const process = join(resolve(checkout), 'testing/gateway-process.ts');
  const { makeSite }: typeof import('#testing/gateway-process.ts') = await import(process);
  const site = await makeSite(configuration);
  const { json: account } = await site.command('account', 'create', 'Ada', '--credit', '100');
  const apiKey = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
  const gateway = await site.start();
  try {
    const told = await tellAll(gateway.url, apiKey);
    await gateway.stop();
    const known: Known = { configuration, apiKey, endedAtMs: Date.now(), ...told };
    writeFileSync(join(site.folder, 'known.json'), JSON.stringify(known, null, 1));
    const file = join(import.meta.dirname, `${name}.tar.br`);
    await create({ cwd: site.folder, file, brotli: true, portable: true }, ['known.json', 'sluice.sqlite', 'data']);
  } finally {
    await gateway.kill();
    site.remove();
  }
}

/** Asks for everything; when it resolves, a batch is running. */
async function tellAll(url: string, apiKey: string): Promise<Pick<Known, 'keyed' | 'reads' | 'candles' | 'batchId'>> {
  const told = (request: Omit<Told, 'answer'>) => tell(url, apiKey, request);
  const until = async (path: string, isThere: (answer: string) => boolean, meanwhile: () => Promise<unknown>) => {
    for (;;) {
      const answered = await told({ path });
      if (isThere(answered.answer)) return answered;
      await meanwhile();
    }
  };
  const wait = () => sleep(100);
  // More bids than slots, of orders that hold them for seconds, so that the level moves.
  const trade = () => {
    const bodies = [10, 20, 30, 40, 50, 60, 70, 80].map((bid) =>
      chat({ price_limit: bid, x_simulate: { first_token_ms: 3000 } }),
    );
    return Promise.all(bodies.map((body) => told({ path: CHAT, body })));
  };

  const answers: Told[] = [];
  for (const [at, { headers, ...request }] of keyed.entries())
    answers.push(await told({ ...request, headers: { 'idempotency-key': `key-${at}`, ...headers } }));
  const detached = JSON.parse(answers.at(-1)?.answer ?? '').id;
  const reads = [await until(`/v1/orders/${detached}`, (answer) => /"done"/.test(answer), wait)];
  reads.push(await told({ path: `/v1/orders/${detached}/result` }));
  const first = await batchOf(url, apiKey, 3);
  const ended = await until(`/v1/batches/${first}`, (answer) => /"completed",/.test(answer), wait);
  reads.push(ended, await told({ path: `/v1/files/${JSON.parse(ended.answer).output_file_id}/content` }));
  const enough = (answer: string) => JSON.parse(answer).candles.length > 3;
  const candles = await until('/v1/market/ohlc?model=tide&range=1h', enough, trade);
  const batchId = await batchOf(url, apiKey, LINES);
  await until(`/v1/batches/${batchId}`, (answer) => JSON.parse(answer).request_counts.completed > 2, wait);
  return { keyed: answers, reads, candles, batchId };
}

/** Sends a request; rejects unless it is answered 2xx. */
export async function tell(url: string, apiKey: string, request: Omit<Told, 'answer'>): Promise<Told> {
  const { path, body, headers } = request;
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: body ?? null,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${answer}`);
  return { ...request, answer };
}

/** Makes a batch with so many lines that it is still running at the end: a few of them run each second. */
async function batchOf(url: string, apiKey: string, lines: number): Promise<string> {
  const slow = { model: 'harbor', messages, max_tokens: 8, x_simulate: { first_token_ms: 400 } };
  const texts = Array.from({ length: lines }, (_, at) =>
    JSON.stringify({ custom_id: `line-${at}`, method: 'POST', url: CHAT, body: slow }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([texts.join('\n')]), 'input.jsonl');
  const headers = { authorization: `Bearer ${apiKey}` };
  const uploaded = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form });
  const { id } = JSON.parse(await uploaded.text());
  const body = JSON.stringify({ input_file_id: id, endpoint: CHAT, completion_window: '24h' });
  return JSON.parse((await tell(url, apiKey, { path: '/v1/batches', body })).answer).id;
}

if (import.meta.main) await makeKept(process.argv[2] ?? '', process.argv[3] ?? '');
