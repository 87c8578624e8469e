/**
 * `sluice pod …`, and `sluice order list`: what only a running gateway knows or does. They call the operations of its
 * console with a token of the operator, so that they work from any machine.
 */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { readEnvironment, readOperatorToken } from '#config/environment.ts';
import { CommandError, type CommandResult, report, table, WrongValue } from './output.ts';
import type { CommandLine } from './proof-commands.ts';
import { addressOf } from './welcome.ts';

const ANSWER_MS = 30_000;
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

/** What is shown of an order of `openapi/schemas/order.yaml`. */
interface WireOrder {
  readonly id: string;
  readonly status: string;
  readonly model: string;
  readonly created_at: string;
  readonly usage?: { readonly charged_usd: number } | null;
}

type Options = { readonly url?: string; readonly json?: boolean };

/** Adds `pod list`, `pod drain`, `pod resume` and `order list`. */
export function addPodCommands(
  { group, leaf }: Pick<CommandLine, 'group' | 'leaf'>,
  order: ReturnType<CommandLine['group']>,
): void {
  const pod = group('pod', 'the pods of a running gateway; SLUICE_OPERATOR_TOKEN holds a token for it');
  const url = ['--url <url>', 'where the gateway is reached (default: from HOST and PORT)'] as const;
  leaf(pod, 'list', 'list the pods with their slots and health')
    .option(...url)
    .action((options: Options) => report(() => listPods(options), options));
  leaf(pod, 'drain <pod>', 'give a pod no new orders; those that run there end as usual')
    .option(...url)
    .action((id: string, options: Options) => report(() => changePod(id, 'drain', options), options));
  leaf(pod, 'resume <pod>', 'give a drained pod orders again')
    .option(...url)
    .action((id: string, options: Options) => report(() => changePod(id, 'resume', options), options));
  leaf(order, 'list <account>', `list the newest ${ORDERS_MAX} orders of an account; needs SLUICE_OPERATOR_TOKEN`)
    .option(...url)
    .action((id: string, options: Options) => report(() => listOrders(id, options), options));
}

async function listPods(options: Options): Promise<CommandResult> {
  const { data } = await callConsole<{ readonly data: readonly WirePod[] }>('GET', 'pods', options);
  return { json: { pods: data }, text: podTable(data) };
}

async function changePod(id: string, change: 'drain' | 'resume', options: Options): Promise<CommandResult> {
  const pod = await callConsole<WirePod>('POST', `pods/${encodeURIComponent(id)}/${change}`, options);
  return { json: pod, text: podTable([pod]) };
}

async function listOrders(account: string, options: Options): Promise<CommandResult> {
  const path = `orders?account=${encodeURIComponent(account)}&limit=${ORDERS_MAX}&include=usage`;
  const { data } = await callConsole<{ readonly data: readonly WireOrder[] }>('GET', path, options);
  const rows = data.map(({ id, status, model, created_at, usage }) => [
    id,
    status,
    model,
    created_at,
    usage ? String(usage.charged_usd) : '',
  ]);
  return { json: { orders: data }, text: table(['ORDER', 'STATUS', 'MODEL', 'CREATED', 'CHARGED USD'], rows) };
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

/** Calls an operation below /console/api. Throws CommandError with the sentence of a refusal, WrongValue for an unknown id. */
async function callConsole<Answer>(method: 'GET' | 'POST', path: string, { url }: Options): Promise<Answer> {
  const token = readOperatorToken();
  if (token === null)
    throw new CommandError(
      'Set SLUICE_OPERATOR_TOKEN to a token; npx sluice operator-token create NAME --scopes read,operate makes one.',
    );
  const gateway = url ?? addressOf(readEnvironment());
  const address = URL.parse(`/console/api/${path}`, gateway);
  if (!address || !/^https?:$/.test(address.protocol))
    throw new WrongValue(`${gateway} is no address; it begins with http:// or https://.`);
  const { status, body } = await answerOf(address, { method, headers: { authorization: `Bearer ${token}` } }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`The gateway at ${gateway} did not answer (${error.code ?? error.name}).`);
    },
  );
  if (status === 200) return body as Answer;
  const { detail = `The gateway answered ${status}.`, code } = (body ?? {}) as { detail?: string; code?: string };
  if (code === 'not_signed_in')
    throw new CommandError('The gateway does not know this token: it has ended, or is another gateway’s.');
  throw status === 404 || status === 400 ? new WrongValue(detail) : new CommandError(detail);
}

async function answerOf(address: URL, options: http.RequestOptions) {
  // Without fetch, which refuses some ports that a gateway may listen on.
  const { request } = address.protocol === 'https:' ? https : http;
  const sent = request(address, { ...options, agent: false, signal: AbortSignal.timeout(ANSWER_MS) });
  sent.end();
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode, body: await json(response).catch(() => null) };
}
