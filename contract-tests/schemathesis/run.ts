/**
 * Starts a fresh gateway, runs Schemathesis on it and audits the books afterwards; `scripts/test-schemathesis` calls it
 * with the path of the tool. A first pass without rate limits covers everything; after a restart, a second pass meets
 * the default limits, where 429 is an answer like any other. Exits 1 when either finds anything, when the books do not
 * balance, or when the gateway logged an internal error.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';

const longer = { context_length: 32768, max_output_length: 8192 };
const MODELS = [
  { ...marketModel('tide-70b', 64), aliases: ['tide'], context_length: 131072, max_output_length: 32768, floor: 0.01 },
  { ...marketModel('surge-400b', 64), ...longer, floor: 0.01 },
  { ...fixedModel('harbor-8b', 64), ...longer },
] as const;

const WITHOUT_RATES = {
  inference_requests_per_minute_per_key: 1_000_000_000,
  batch_submissions_per_minute_per_account: 1_000_000_000,
  account_operations_per_minute_per_account: 1_000_000_000,
  file_operations_per_minute_per_account: 1_000_000_000,
  public_requests_per_minute_per_address: 1_000_000_000,
  partner_requests_per_minute_per_address: 1_000_000_000,
  streams_per_address: 1000,
  running_batches_per_account: 100_000,
};

const CHAT = '/v1/chat/completions';
const QUESTION = {
  model: 'harbor-8b',
  messages: [{ role: 'user', content: 'Hello' }],
  x_simulate: { output_tokens: 3, first_token_ms: 0, token_ms: 0 },
};
const LINES = ['a', 'b', 'c'].map(
  (name) => `${JSON.stringify({ custom_id: name, method: 'POST', url: CHAT, body: QUESTION })}\n`,
);

const CREDIT_USD = '1000000';
const HERE = import.meta.dirname;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    'max-examples': { type: 'string', default: '30' },
  },
});
const [tool = 'schemathesis', ...toolArguments] = positionals;

const passes = [
  { name: 'without rate limits', limits: WITHOUT_RATES, examples: values['max-examples'] },
  { name: 'with the limits as they are', limits: {}, examples: '2' },
];
const site = await makeSite(selling(MODELS));
try {
  const [owner, stranger] = [await openAccount(site, 'owner'), await openAccount(site, 'stranger')];
  writeFileSync(
    accountsFile(site),
    JSON.stringify({ auth: [identity('owner', owner), identity('stranger', stranger)] }),
  );
  let objects: ObjectIds | null = null;
  let sound = true;
  for (const { name, limits, examples } of passes) {
    console.log(`== Schemathesis ${name}, seed ${values.seed}, ${examples} examples an operation`);
    writeFileSync(String(site.environment.SLUICE_CONFIG), selling(MODELS, { limits }));
    const gateway = await site.start();
    objects ??= await makeObjects(gateway.url, owner);
    const passed = await runTool(site, gateway, objects, ['--seed', values.seed, '--max-examples', examples]);
    await gateway.stop();
    sound = [sound, passed, await booksBalance(site), noFaultIn(gateway.output())].every(Boolean);
  }
  process.exitCode = sound ? 0 : 1;
} finally {
  site.remove();
}

async function openAccount(site: Site, name: string): Promise<string> {
  const { json: account } = await site.command('account', 'create', name, '--credit', CREDIT_USD, '--force');
  const limits = ['tide-70b=10', 'surge-400b=10'].flatMap((limit) => ['--price-limit', limit]);
  const { json: key } = await site.command('key', 'create', String(account.account_id), ...limits);
  return String(key.api_key);
}

/** An account in the file from which the tool takes its keys; the two accounts must not see each other's objects. */
function identity(name: string, key: string): object {
  return { name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${key}` }] };
}

function accountsFile({ folder }: Site): string {
  return join(folder, 'accounts.json');
}

/** Ids of what was made, by the variables in which hooks.py finds them. */
type ObjectIds = Readonly<Record<'SLUICE_ORDER' | 'SLUICE_FILE' | 'SLUICE_BATCH', string>>;

/** Makes one order, one file and one batch, to which the example ids of openapi.yaml are mapped. */
async function makeObjects(url: string, key: string): Promise<ObjectIds> {
  const authorization = `Bearer ${key}`;
  async function post(path: string, body: FormData | object): Promise<Response> {
    const form = body instanceof FormData;
    const headers = form ? { authorization } : { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: form ? body : JSON.stringify(body) });
    assert.equal(answer.status, 200, `POST ${path}`);
    return answer;
  }
  const idOf = async (answer: Response) => String(((await answer.json()) as { id: unknown }).id);
  const order = (await post(CHAT, QUESTION)).headers.get('x-service-order-id') ?? '';
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob(LINES), 'lines.jsonl');
  const file = await idOf(await post('/v1/files', form));
  const batch = await idOf(await post('/v1/batches', { input_file_id: file, endpoint: CHAT }));
  return { SLUICE_ORDER: order, SLUICE_FILE: file, SLUICE_BATCH: batch };
}

async function runTool(
  site: Site,
  { url }: GatewayProcess,
  objects: ObjectIds,
  options: readonly string[],
): Promise<boolean> {
  const config = ['--config-file', join(HERE, 'schemathesis.toml')];
  const child = spawn(tool, [...config, 'run', `${url}/openapi.json`, ...options, ...toolArguments], {
    stdio: 'inherit',
    env: { ...process.env, ...objects, SLUICE_ACCOUNTS: accountsFile(site), SLUICE_HOOKS: join(HERE, 'hooks.py') },
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function booksBalance(site: Site): Promise<boolean> {
  const { exitCode, json } = await site.command('audit');
  console.log(exitCode === 0 ? `The books of ${json.orders} orders balance.` : JSON.stringify(json));
  return exitCode === 0;
}

/** The log shows what a caller does not see: an unforeseen error. */
function noFaultIn(log: string): boolean {
  const faults = log.split('\n').filter((line) => /"level":(50|60)/.test(line));
  for (const line of faults) console.log(line);
  return faults.length === 0;
}
