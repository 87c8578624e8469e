/**
 * `sluice pod …`, and `sluice order list`: what only a running gateway knows or does. They call the operations of its
 * console with a token of the operator, so that they work from any machine.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { readEnvironment, readOperatorToken } from '#config/environment.ts';
import { CommandError, type CommandResult, report, table, WrongValue } from './output.ts';
import type { CommandLine } from './proof-commands.ts';
import { addressOf } from './welcome.ts';

const ANSWER_MS = 30_000;
/** A pod that is added is tried first, which may take a minute. */
const ADDED_MS = 90_000;
const ORDERS_MAX = 100;

/** What is shown of a pod of `openapi/console/schemas/pod.yaml`. */
interface WirePod extends Readonly<Record<string, unknown>> {
  readonly pod: string;
  readonly model: string;
  readonly address: string | null;
  readonly healthy: boolean;
  readonly draining: boolean;
  readonly reason: string | null;
  readonly slots: { readonly busy: number; readonly allowed: number };
}

/** `openapi/console/schemas/pod.yaml`. */
interface AddedPod extends Readonly<Record<string, unknown>> {
  readonly pod: WirePod;
  readonly reports_usage: boolean;
}

/** What is shown of an order of `openapi/console/schemas/sold-orders.yaml`. */
interface WireOrder {
  readonly id: string;
  readonly status: string;
  readonly account_name: string;
  readonly model: string;
  readonly created_at: string;
  readonly charged_usd: number | null;
}

type Options = { readonly url?: string; readonly json?: boolean };

/** The options of `pod add`, as they were typed. */
interface AddOptions extends Options {
  readonly model: string;
  readonly address: string;
  readonly slots: string;
  readonly slotsMin?: string;
  readonly servedModel?: string;
  readonly apiKeyFile?: string;
  readonly engine?: string;
  readonly systemPolicy?: string;
  readonly continuousUsage?: true;
  readonly tokenPerChunk?: true;
}

/** Adds `pod list`, `add`, `remove`, `drain` and `resume`, and `order list`. */
export function addPodCommands(
  { group, leaf }: Pick<CommandLine, 'group' | 'leaf'>,
  order: ReturnType<CommandLine['group']>,
): void {
  const pod = group('pod', 'the pods of a running gateway; SLUICE_OPERATOR_TOKEN holds a token for it');
  const url = ['--url <url>', 'where the gateway is reached (default: from HOST and PORT)'] as const;
  leaf(pod, 'list', 'list the pods with their slots and health')
    .option(...url)
    .action((options: Options) => report(() => listPods(options), options));
  leaf(pod, 'add <pod>', 'try a pod with two short requests, and add it if both are answered')
    .requiredOption('--model <model>', 'the id or an alias of the model that it serves')
    .requiredOption('--address <url>', 'where it is, such as http://10.0.0.5:8000/v1')
    .requiredOption('--slots <number>', 'how many requests it runs at once')
    .option('--slots-min <number>', 'the fewest, for slots that follow the engine; --slots is the most')
    .option('--served-model <name>', 'the name of the model there (default: the id of the model)')
    .option('--api-key-file <file>', 'a file on this machine with the key that it asks for, which is stored')
    .option('--engine <engine>', 'as in the configuration file (default: auto)')
    .option('--system-policy <policy>', 'as in the configuration file (default: merge_leading)')
    .option('--continuous-usage', 'it sends usage with every chunk when asked to')
    .option('--token-per-chunk', 'each of its chunks holds one token')
    .option(...url)
    .action((id: string, options: AddOptions) => report(() => addPod(id, options), options));
  leaf(pod, 'remove <pod>', 'remove a pod that was added; orders that run there end as usual')
    .option(...url)
    .action((id: string, options: Options) => report(() => removePod(id, options), options));
  leaf(pod, 'drain <pod>', 'give a pod no new orders; those that run there end as usual')
    .option(...url)
    .action((id: string, options: Options) => report(() => changePod(id, 'drain', options), options));
  leaf(pod, 'resume <pod>', 'give a drained pod orders again')
    .option(...url)
    .action((id: string, options: Options) => report(() => changePod(id, 'resume', options), options));
  leaf(order, 'list <id>', `list the newest ${ORDERS_MAX} orders of an account, key, batch or request`)
    .option(...url)
    .action((id: string, options: Options) => report(() => listOrders(id, options), options));
}

async function listPods(options: Options): Promise<CommandResult> {
  const { data } = await callConsole<{ readonly data: readonly WirePod[] }>('GET', 'pods', options);
  return { json: { pods: data }, text: podTable(data) };
}

async function addPod(id: string, options: AddOptions): Promise<CommandResult> {
  const { model, address, slots, slotsMin, servedModel, apiKeyFile, engine, systemPolicy } = options;
  const body = {
    ...{ model, pod: id, address, slots: readSlots('--slots', slots) },
    ...(slotsMin === undefined ? {} : { slots_min: readSlots('--slots-min', slotsMin) }),
    ...(servedModel === undefined ? {} : { served_model: servedModel }),
    ...(apiKeyFile === undefined ? {} : { api_key: readKeyFile(apiKeyFile) }),
    ...(engine === undefined ? {} : { engine }),
    ...(systemPolicy === undefined ? {} : { system_policy: systemPolicy }),
    ...(options.continuousUsage ? { continuous_usage: true } : {}),
    ...(options.tokenPerChunk ? { token_per_chunk: true } : {}),
  };
  const added = await callConsole<AddedPod>('POST', 'pods', { ...options, body, waitMs: ADDED_MS });
  const lines = [podTable([added.pod])];
  if (!added.reports_usage)
    lines.push('It reports no tokens: prompts are estimated and charged as uncached; turn its report on.');
  return { json: added, text: lines.join('\n') };
}

function readSlots(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new WrongValue(`${option} is ${text}; write a whole number from 1 to 100000.`);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new WrongValue(`${file} cannot be read (${code}); give the file that has the key of the pod.`);
  }
}

async function removePod(id: string, options: Options): Promise<CommandResult> {
  await callConsole('DELETE', `pods/${encodeURIComponent(id)}`, options);
  return { json: { pod: id, removed: true }, text: `Pod ${id} is removed: orders that run there end as usual.` };
}

async function changePod(id: string, change: 'drain' | 'resume', options: Options): Promise<CommandResult> {
  const pod = await callConsole<WirePod>('POST', `pods/${encodeURIComponent(id)}/${change}`, options);
  return { json: pod, text: podTable([pod]) };
}

async function listOrders(anyId: string, options: Options): Promise<CommandResult> {
  const path = `latest-orders?any_id=${encodeURIComponent(anyId)}&limit=${ORDERS_MAX}`;
  const { data } = await callConsole<{ readonly data: readonly WireOrder[] }>('GET', path, options);
  if (data.length === 0)
    throw new WrongValue(`No order has the id ${anyId}, nor an account, a key, a batch or a request.`);
  const rows = data.map(({ id, status, account_name, model, created_at, charged_usd }) => [
    id,
    status,
    account_name,
    model,
    created_at,
    charged_usd === null ? '' : String(charged_usd),
  ]);
  const names = ['ORDER', 'STATUS', 'ACCOUNT', 'MODEL', 'CREATED', 'CHARGED USD'];
  return { json: { orders: data }, text: table(names, rows) };
}

function podTable(pods: readonly WirePod[]): string {
  const rows = pods.map(({ pod, model, address, healthy, draining, reason, slots }) => [
    pod,
    model,
    address ?? 'simulated',
    draining
      ? slots.busy === 0
        ? 'drained'
        : 'draining'
      : healthy
        ? 'healthy'
        : `not healthy: ${reason ?? 'not reached yet'}`,
    `${slots.busy} of ${slots.allowed}`,
  ]);
  return table(['POD', 'MODEL', 'ADDRESS', 'STATE', 'BUSY'], rows);
}

/** Of a wrong request, a token that lacks a scope, and an unknown id. */
const WRONG_VALUES = [400, 403, 404];

/** Calls an operation below /console/api. Throws WrongValue or CommandError with the sentence of a refusal. */
async function callConsole<Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { url, body: sent, waitMs = ANSWER_MS }: Options & { readonly body?: object; readonly waitMs?: number },
): Promise<Answer> {
  const token = readOperatorToken();
  if (token === null)
    throw new CommandError(
      'Set SLUICE_OPERATOR_TOKEN to a token; npx sluice operator-token create NAME --scopes read,operate makes one.',
    );
  const gateway = url ?? addressOf(readEnvironment());
  const address = URL.parse(`/console/api/${path}`, gateway);
  if (!address || !/^https?:$/.test(address.protocol))
    throw new WrongValue(`${gateway} is no address; it begins with http:// or https://.`);
  const headers = { authorization: `Bearer ${token}`, ...(sent ? { 'content-type': 'application/json' } : {}) };
  const request = { method, headers, signal: AbortSignal.timeout(waitMs) };
  const { status = 0, body } = await answerOf(address, request, sent).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The gateway at ${gateway} did not answer (${error.code ?? error.name}).`);
  });
  if (status >= 200 && status < 300) return body as Answer;
  const { detail = `The gateway answered ${status}.`, code } = (body ?? {}) as { detail?: string; code?: string };
  if (code === 'not_signed_in')
    throw new CommandError('The gateway does not know this token: it has ended, or is another gateway’s.');
  throw WRONG_VALUES.includes(status) ? new WrongValue(detail) : new CommandError(detail);
}

async function answerOf(address: URL, options: http.RequestOptions, body: object | undefined) {
  // Without fetch, which refuses some ports that a gateway may listen on.
  const { request } = address.protocol === 'https:' ? https : http;
  const sent = request(address, { ...options, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, body: await json(response).catch(() => null) };
}
