/** `sluice health`: whether the gateway works, for health checks of containers and services. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import { type CommandResult, good, wrong } from './output.ts';

/** How long an answer may take. */
const ANSWER_MS = 5_000;

/** What `/healthz` says, as far as it is shown here. */
interface Health {
  readonly ok: boolean;
  readonly db: boolean;
  readonly market_loop: boolean;
  readonly role: string;
  readonly queued: number;
  readonly inflight: number;
  readonly pods: number;
  readonly healthy_pods: number;
  readonly disk_low: boolean;
}

/** Asks the gateway at `url`; exits 1 when it does not work or does not answer, and says why. */
export async function showHealth(url: string): Promise<CommandResult> {
  const health = await ask(url);
  if (typeof health === 'string')
    return { json: { ok: false, url, reason: health }, text: wrong(`The gateway at ${url} ${health}.`), exitCode: 1 };
  const { ok, db } = health;
  if (!ok) {
    const reason = db ? 'does not trade: its market loop stands still' : 'does not work: its database does not answer';
    return { json: { ...health, url, reason }, text: wrong(`The gateway at ${url} ${reason}.`), exitCode: 1 };
  }
  return { json: { ...health, url, reason: null }, text: textOf(url, health) };
}

function textOf(url: string, { role, pods, healthy_pods, queued, inflight, disk_low }: Health): string {
  const lines = [
    good(`The gateway at ${url} works${role === 'leader' ? '' : ` (${role})`}.`),
    `${healthy_pods} of ${pods} pods are healthy; ${queued} orders wait, ${inflight} run.`,
  ];
  if (disk_low) lines.push(wrong('Less disk space is free than disk_reserve_bytes: nothing more is stored.'));
  return lines.join('\n');
}

/** The gateway's answer; the end of a sentence if there is none. */
async function ask(url: string): Promise<Health | string> {
  try {
    const address = new URL('/healthz', url);
    // Without fetch, which refuses some ports that a gateway may listen on.
    const { get } = address.protocol === 'https:' ? https : http;
    const request = get(address, { agent: false, signal: AbortSignal.timeout(ANSWER_MS) });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const body = await json(response);
    const isHealth = typeof (body as Partial<Health> | null)?.ok === 'boolean';
    return isHealth ? (body as Health) : `answered ${response.statusCode} to GET /healthz, as no gateway does`;
  } catch (error) {
    if (error instanceof SyntaxError) return 'answered GET /healthz with something that is no JSON';
    const { name, code, message } = error as NodeJS.ErrnoException;
    if (name === 'AbortError' || name === 'TimeoutError') return `did not answer in ${ANSWER_MS / 1000} s`;
    return `cannot be reached (${code ?? message}); start it, or name its address with --url`;
  }
}
