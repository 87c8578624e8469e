/**
 * The path of every request to the settings and the console: route, connection, origin, session, rate, role, CSRF
 * token, body, handler, reply. It differs from the path of /v1: these requests carry a cookie, which a browser sends
 * for any page, while those carry a key, which only their own page has. Loaded by the first such request.
 */
import { readFileSync } from 'node:fs';
import type { Request } from 'express';
import type { OperatorToken, SignedIn, TokenScope } from '#access/member.ts';
import { addressSubject, type ConsoleRates } from '#access/request-rates.ts';
import { cookieIn } from '#accounts/members/cookie.ts';
import { ANSWER_PATH } from '#accounts/members/identities.ts';
import { isTokenSecret, type OperatorTokens } from '#accounts/members/operator-tokens.ts';
import { isCsrfToken } from '#accounts/members/secrets.ts';
import type { Sessions } from '#accounts/members/sessions.ts';
import { jsonBody } from '#base/exact-json.ts';
import { Fault, publicCode } from '#base/fault.ts';
import { STATUS_CODES } from '#base/node-http.ts';
import { isLoopback, namesLoopback } from '#base/peer-address.ts';
import type { ConsoleCall, HandlersFor, MemberVisit } from '#contract/call.ts';
import type { ConsoleId } from '#contract/operation.ts';
import type { JsonReply, RawReply } from '#contract/reply.ts';
import { operations } from '#generated/console-api/operations.ts';
import { queries } from '#generated/console-api/queries.ts';
import { requestBodies } from '#generated/console-api/validators.js';
import { readBody } from '../body.ts';
import type { DispatchContract, DispatchEntry } from '../contract.ts';
import { type AnswerSettings, type Api, answering, type Matched } from '../dispatch.ts';
import type { FaultPlace } from '../faults.ts';
import { pagePolicy } from '../pages.ts';
import { saysForwarded } from '../protocol.ts';
import type { RequestContext } from '../request-context.ts';

interface ConsoleOptions extends AnswerSettings {
  readonly handlers: HandlersFor<ConsoleId>;
  readonly sessions: Sessions;
  readonly tokens: Pick<OperatorTokens, 'find'>;
  readonly rates: ConsoleRates;
  /** The files of the page to sign in. */
  readonly signInFile: SignInFile;
  /** Whether a session may be carried without TLS. */
  readonly insecure: boolean;
}

/** Far more than any form of these pages. */
export const FORM_BYTES_MAX = 64 * 1024;
/** Far more than any event of a payment provider. */
const EVENT_BYTES_MAX = 256 * 1024;

interface Entry extends DispatchEntry {
  readonly limitClass: 'document' | 'sign-in' | 'member' | 'webhook';
  readonly roles?: { readonly account: readonly string[]; readonly operator: readonly string[] };
  readonly tokenScope?: TokenScope;
}

const contract: DispatchContract<Entry> = { operations, requestBodies, queries };

/** Builds them. Throws when an operation of the document has no handler, or a handler is of no operation. */
export function createConsole(options: ConsoleOptions): Api {
  const document = {
    contract,
    handlers: options.handlers,
    callOf,
    postRoutingHandler: ({ request, operation }: Matched<Entry>) =>
      assertConnection(request, operation?.entry, options),
    securityHandlers: {
      sessionCookie: ({ request }: Matched<Entry>) => sessionOf(request, options),
      csrfToken: ({ request }: Matched<Entry>) => assertCsrfToken(request),
      operatorToken: ({ request }: Matched<Entry>) => tokenOf(request, options),
    },
    postSecurityHandler: (matched: Matched<Entry>) => admit(matched, options),
    apart: ({ request, path }: RequestContext) => options.signInFile(request.method, path),
    faultReply: problemReply,
    headers: GUARDS,
    discardBytesMax: () => 2 * EVENT_BYTES_MAX,
  };
  return answering(document, options);
}

/** An event is sent by a server, which has no session and no page. Everybody may read the document. */
function assertConnection({ request }: RequestContext, entry: Entry | undefined, { insecure }: ConsoleOptions): void {
  if (!entry || entry.limitClass === 'webhook') return;
  if (entry.limitClass !== 'document') assertMayCarrySession(request, insecure);
  if (entry.method !== 'get') assertOwnPage(request);
}

/** Strangers are counted by address, since each costs a look-up. */
async function sessionOf({ request }: RequestContext, { sessions, rates }: ConsoleOptions): Promise<SignedIn> {
  try {
    return await sessions.find(cookieIn(request.headers, request.secure));
  } catch (error) {
    const isStranger = error instanceof Fault && error.code === 'not_signed_in' && !secretIn(request);
    if (isStranger) rates.count('stranger', addressSubject(request.ip));
    throw error;
  }
}

/** False without a token that is valid; guessing is counted like that of a session. */
async function tokenOf({ request }: RequestContext, { tokens, rates }: ConsoleOptions): Promise<OperatorToken | false> {
  const secret = secretIn(request);
  const token = secret && (await tokens.find(secret));
  if (secret && !token) rates.count('stranger', addressSubject(request.ip));
  return token || false;
}

/** The secret of a token in the Authorization header; null for anything else. */
function secretIn({ headers }: Request): string | null {
  const [, secret = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return isTokenSecret(secret) ? secret : null;
}

function assertCsrfToken({ request }: RequestContext): true {
  const cookie = cookieIn(request.headers, request.secure);
  if (cookie === null || !isCsrfToken(String(request.headers['x-csrf-token']), cookie))
    throw new Fault('forged_request');
  return true;
}

/** Counts the request, checks the role of a member, and reads the body of a request that nothing else refuses. */
async function admit(matched: Matched<Entry>, { rates }: ConsoleOptions): Promise<void> {
  const { request: call, operation, security } = matched;
  const { entry, validator } = operation;
  if (entry.security === 'open') {
    rates.count(entry.limitClass, addressSubject(call.request.ip));
  } else if (isToken(matched.security.operatorToken)) {
    const { id, scopes } = matched.security.operatorToken;
    rates.count('member', id);
    const { tokenScope } = entry;
    if (!tokenScope || !scopes.includes(tokenScope))
      throw new Fault('missing_scope', { message: `This operator token lacks the scope ${tokenScope}.` });
  } else {
    const signedIn = signedInOf(matched);
    if (!signedIn) return;
    rates.count('member', signedIn.member.id);
    // Only the roles that the document names: what it does not allow is refused.
    const { accountId, role } = signedIn.member;
    const allowed: readonly string[] = (accountId === null ? entry.roles?.operator : entry.roles?.account) ?? [];
    if (!allowed.includes(role)) throw new Fault('role_refused');
    if (!security.authorized) return;
  }
  call.bodyChecked = entry.limitClass === 'webhook';
  // A provider signs the bytes as they were sent.
  if (call.bodyChecked) call.body = await readBody(call.request, call.response, EVENT_BYTES_MAX);
  else if (validator) call.body = jsonBody(await readBody(call.request, call.response, FORM_BYTES_MAX));
}

/** Null for an open operation, and for a request without a session or a token. */
function signedInOf({ security: { sessionCookie, operatorToken }, request }: Matched<Entry>): SignedIn | null {
  if (isToken(operatorToken)) return memberOf(operatorToken, request.request);
  return sessionCookie instanceof Object && 'member' in sessionCookie ? (sessionCookie as SignedIn) : null;
}

function isToken(result: unknown): result is OperatorToken {
  return result instanceof Object && 'scopes' in result;
}

/**
 * What a token does is logged under its name, as by a member of the operator. Its scopes were checked instead of a role. No
 * operation that takes a token looks at the session.
 */
function memberOf({ id, name, createdAtMs }: OperatorToken, { ip, headers }: Request): SignedIn {
  const member = { id, email: `token ${name}`, accountId: null, role: 'operator', passwordHash: null } as const;
  const session = { id, memberId: id, method: 'link', openedAtMs: createdAtMs, seenAtMs: createdAtMs } as const;
  return {
    member: { ...member, createdAtMs, joinedAtMs: null, linkMadeAtMs: null },
    session: { ...session, address: addressSubject(ip), agent: headers['user-agent'] ?? '' },
  };
}

/** Called for an open operation, without the member. */
function callOf(matched: Matched<Entry>): ConsoleCall & MemberVisit {
  const { request: call } = matched;
  const { headers, secure, protocol, host, ip } = call.request;
  const cookie = cookieIn(headers, secure);
  const place = { address: addressSubject(ip), agent: headers['user-agent'] ?? '', cookie };
  const common: ConsoleCall = { call, place, secure, origin: `${protocol}://${host}` };
  return Object.assign(common, { signedIn: signedInOf(matched), cookie }) as ConsoleCall & MemberVisit;
}

/** Against being framed, guessed at, embedded or kept. */
export const GUARDS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A fault as a problem document. RFC 9457. */
export function problemReply(fault: Fault, { requestId }: FaultPlace): JsonReply {
  const { status, code, message, param, retryAfterS } = fault;
  return {
    status,
    headers: {
      ...fault.headers,
      'content-type': 'application/problem+json',
      ...(retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) }),
    },
    json: {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      code: publicCode(code),
      param,
      request_id: requestId,
    },
  };
}

/**
 * Throws needs_tls unless the connection may carry a session: over TLS, as a trusted proxy says, or from a browser on
 * this machine; `insecure` allows every one. That the name of the host is one of this machine keeps out a site that has
 * its own name resolve to it.
 */
export function assertMayCarrySession(request: Request, insecure: boolean): void {
  if (insecure || request.secure || isLocal(request)) return;
  throw saysForwarded(request)
    ? new Fault('needs_tls', {
        message:
          'This request came through a proxy, and none that is trusted says that it had TLS. Set trust_proxy to the number of proxies, or to their addresses, and have the proxy send X-Forwarded-Proto.',
      })
    : new Fault('needs_tls');
}

/**
 * Throws forged_request when a browser says that the request comes from another site. A client that is no browser may
 * send no origin: it has no session but its own.
 */
export function assertOwnPage(request: Request): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const isOwn = origin === undefined ? isOwnSite : isOwnOrigin(origin, request);
  if (isOwn) return;
  // The browser takes it for a page of this gateway, so something between them has changed the name or the protocol.
  if (origin !== undefined && site === 'same-origin')
    throw new Fault('forged_request', {
      message: `The page is at ${origin}, but the request reached the gateway as ${request.protocol}://${request.host}. Have the proxy pass the browser's Host and X-Forwarded-Proto, and set trust_proxy.`,
    });
  throw new Fault('forged_request');
}

function isLocal({ socket, headers }: Request): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  return isLoopback(peer) && namesLoopback(headers.host);
}

/** A page that came without TLS may have been changed on its way: it is no page of a gateway with TLS. */
function isOwnOrigin(origin: string, request: Request): boolean {
  const url = URL.parse(origin);
  if (!url || url.host !== URL.parse(`${url.protocol}//${request.host}`)?.host) return false;
  return url.protocol === 'https:' || !request.secure;
}

/** Files and requests of this gateway, and nothing else. */
const POLICY = pagePolicy("'none'", "style-src 'self'", "font-src 'self'", "img-src 'self'");

/** The file of the page at this path; null for none. */
type SignInFile = (method: string, path: string) => RawReply | null;

/**
 * The page where members sign in, built from console/ like the others, and its script, which is served as it is: it must
 * work before anything else does. The token of a link is what follows `#`, which browsers send to nobody, and it is used
 * only when somebody presses the button: programs that open the links of mails would use it up otherwise. It has a button
 * for the identity provider of this name; null for none.
 */
export function signInFiles(provider: string | null): SignInFile {
  const button = `<p id="provider" hidden><button class="button" type="button">Continue with ${escaped(provider ?? '')}</button></p>`;
  const page = read('../../../generated/console/sign-in.html').replace('<!--provider-->', () =>
    provider === null ? '' : button,
  );
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/settings/sign-in': ['text/html', page],
    // Where the provider leads back to.
    ...(provider === null ? {} : { [ANSWER_PATH]: ['text/html', page] }),
    '/settings/sign-in.js': ['text/javascript', read('./sign-in.js')],
  };
  return (method, path) => {
    const file = method === 'GET' || method === 'HEAD' ? files[path] : undefined;
    if (!file) return null;
    const [type, raw] = file;
    return {
      status: 200,
      headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY },
      raw,
    };
  };
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
