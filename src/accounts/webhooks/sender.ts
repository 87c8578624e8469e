/**
 * Sends messages to one endpoint. Each connection asks for the addresses of the name once, refuses unless all of them are
 * public, and goes to one of those that were looked at: a name that changes in between changes nothing. Redirects are not
 * followed, an answer is read to 64 kB and thrown away, and the whole takes ten seconds at most.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { buildConnector as BuildConnector, Dispatcher } from 'undici';
import type { Clock } from '#base/clock.ts';
import { Pool } from '#pods/undici-pool.ts';
import { type AllowedHosts, bare, isAllowed, isPublic, refusalOf } from './address.ts';

// As in `pods/undici-pool.ts`.
const buildConnector: typeof BuildConnector = createRequire(import.meta.url)('undici/lib/core/connect.js');

/** How long a message may take, from the connection to the end of the answer. */
export const SEND_MS_MAX = 10_000;
/** How long a server of names may take. */
const LOOKUP_MS_MAX = 3_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** How many messages are under way to one endpoint. */
export const CONNECTIONS = 8;

/** The outcome of a message: a status, or why there is none. `isGone`: there will never be a receiver again. */
export type Sent = { readonly status: number; readonly isGone?: boolean } | { readonly error: string };

/** What a sender needs. */
export interface SenderOptions {
  readonly clock: Clock;
  readonly allow: AllowedHosts;
  /** The addresses of a name; absent: those that the system knows. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Connects to an address, for tests; absent: undici's own. */
  readonly connect?: BuildConnector.connector;
}

/** Connections to one endpoint, for some messages in a row. */
export interface Connections {
  /** Never rejects. */
  post(headers: readonly string[], body: string): Promise<Sent>;
  close(): Promise<void>;
}

/** Opens the way to an address; nothing is connected before the first message. */
export function openConnections(address: string, options: SenderOptions): Connections {
  const refusal = refusalOf(address, options.allow);
  if (refusal !== null) return { post: async () => ({ error: refusal }), close: async () => {} };
  const url = new URL(address);
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: pinned(url, options),
  });
  const path = `${url.pathname}${url.search}`;
  return {
    post: (headers, body) => post(pool, { method: 'POST', path, headers: [...headers], body }, options.clock),
    close: () => pool.destroy(),
  };
}

/** Connects to an address that was looked at. */
function pinned(url: URL, { allow, resolve, connect = connector() }: SenderOptions): BuildConnector.connector {
  const name = bare(url.hostname);
  const isFree = isAllowed(url, allow);
  const addresses = resolve ?? (isFree ? ownAddressesOf : publicAddressesOf);
  const choose = async () => {
    const found = isIP(name) === 0 ? await addresses(name) : [name];
    // The address is not named: the owner of the endpoint must not learn the operator's network by asking for names.
    if (!isFree && !found.every(isPublic)) throw new Error(`${name} has an address that is not public.`);
    const [first] = found;
    if (first === undefined) throw new Error(`${name} has no address.`);
    return first;
  };
  return (options, callback) => {
    choose().then(
      // The certificate must be valid for the host name.
      (hostname) => connect({ ...options, hostname, ...(isIP(name) === 0 ? { servername: name } : {}) }, callback),
      (error) => callback(error, null),
    );
  };
}

function connector(): BuildConnector.connector {
  return buildConnector({ allowH2: false, timeout: SEND_MS_MAX });
}

/**
 * Asked without the system's resolver: that one waits in the few threads in which the pods and the database are looked up,
 * too, and a name whose servers keep silent would hold those up.
 */
async function publicAddressesOf(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: LOOKUP_MS_MAX, tries: 1 });
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  for (const answer of asked) if (found.length === 0 && answer.status === 'rejected') throw answer.reason;
  return found;
}

/** Names that the operator allows may be known to this machine alone. */
async function ownAddressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function post(pool: Dispatcher, request: Dispatcher.DispatchOptions, clock: Clock): Promise<Sent> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let sent: Sent = { error: `There was no answer within ${SEND_MS_MAX / 1000} s.` };
    let bytes = 0;
    let over = false;
    const end = (cut: boolean) => {
      if (over) return;
      over = true;
      timer.cancel();
      resolve(sent);
      if (cut) controller?.abort(new Error('the rest of the answer is not read'));
    };
    const timer = clock.after(SEND_MS_MAX, () => end(true));
    pool.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (over) started.abort(new Error('its time is over'));
      },
      onResponseStart(_controller, status) {
        if (status >= 200) sent = { status };
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) end(true);
      },
      onResponseEnd: () => end(false),
      onResponseError(_controller, error) {
        if ('error' in sent && !over) sent = { error: sentenceOf(error) };
        end(false);
      },
    });
  });
}

/** What the owner of the endpoint reads: the code of the system, or our own sentence. */
function sentenceOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null ? error.message : `The connection failed: ${code}.`;
}
