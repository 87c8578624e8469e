/**
 * The path of every request to the settings and the console: route, connection, origin, session, rate, role, CSRF token,
 * body, handler, reply. It is not the way of /v1: these requests have a cookie, which a browser sends along for any page,
 * where those have a key, which only their own page has. Loaded by the first such request.
 */
import assert from 'node:assert';
import { addressSubject } from '#access/address.ts';
import type { ConsoleRates } from '#access/console-rates.ts';
import type { ConsoleMember, SignedIn } from '#access/member.ts';
import { cookieIn } from '#accounts/members/cookie.ts';
import { isCsrfToken } from '#accounts/members/secrets.ts';
import type { Sessions } from '#accounts/members/sessions.ts';
import { assertValid } from '#adapters/common/validation.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { Reply } from '#contract/call.ts';
import type { ConsoleCall, ConsoleHandlers, MemberHandler, StrangerHandler } from '#contract/console-call.ts';
import { operations } from '#generated/console-api/operations.ts';
import { requestBodies } from '#generated/console-api/validators.js';
import type { Validator } from '#generated/validators.js';
import { jsonBody } from '#handlers/json-body.ts';
import { readBody } from '../body.ts';
import { Compressor } from '../compression.ts';
import { type FaultOptions, faultOf } from '../faults.ts';
import { assertUnambiguous } from '../protocol.ts';
import type { RequestContext } from '../request-context.ts';
import { Router } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { UnreadBytes } from '../unread-bytes.ts';
import { type ReplySettings, writeReply } from '../write-reply.ts';
import { assertMayCarrySession, assertOwnPage } from './connection.ts';
import { guarded, problemReply } from './problem.ts';
import type { SignInFile } from './sign-in-page.ts';

/** What these routes need. */
export interface ConsoleOptions {
  readonly handlers: ConsoleHandlers;
  readonly sessions: Sessions;
  readonly rates: ConsoleRates;
  /** The files of the page to sign in. */
  readonly signInFile: SignInFile;
  /** Whether a session may be carried without TLS. */
  readonly insecure: boolean;
  readonly limits: { readonly unreadBytes: number };
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly log: Log;
  readonly isOutage: FaultOptions['isOutage'];
}

/** Far more than any form of these pages. */
export const FORM_BYTES_MAX = 64 * 1024;
/** Far more than any event of a payment provider. */
const EVENT_BYTES_MAX = 256 * 1024;

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly security: 'open' | 'session' | 'session-csrf';
  readonly limitClass: 'document' | 'sign-in' | 'member' | 'webhook';
  readonly roles?: { readonly account: readonly string[]; readonly operator: readonly string[] };
}

const entries: Readonly<Record<string, Entry>> = operations;
const validators: Readonly<Record<string, Validator<unknown>>> = requestBodies;

/** Answers one request; never rejects. */
export function createConsole(options: ConsoleOptions): (context: RequestContext) => Promise<void> {
  const { traffic, log } = options;
  const router = new Router({ operations: entries });
  const replies = { discardBytesMax: 2 * EVENT_BYTES_MAX, compressor: new Compressor(), sameOrigin: true };
  const unread = new UnreadBytes(() => options.limits.unreadBytes, log);
  const settings = (): ReplySettings => ({ ...replies, unread, closeConnection: traffic.draining });
  return async (context) => {
    try {
      await writeReply(context, guarded(await replyTo(context, router, options)), settings());
    } catch (thrown) {
      if (context.gone) return;
      const fault = faultOf(thrown, context, options);
      if (context.response.headersSent) context.response.destroy();
      else await writeReply(context, guarded(problemReply(fault, context.requestId)), settings());
    }
  };
}

async function replyTo(context: RequestContext, router: Router, options: ConsoleOptions): Promise<Reply> {
  const { path, request } = context;
  assertUnambiguous(request);
  const file = options.signInFile(request.method, path);
  if (file) return file;
  const route = router.match(request.method, path);
  if (!route) throw notRouted(router.methodsAt(path), request.method);
  const entry = entries[route.operationId];
  const handler = options.handlers[route.operationId as keyof ConsoleHandlers];
  assert(entry && handler, `operation ${route.operationId} has no handler`);
  context.operationId = route.operationId;
  context.params = route.params;
  const { secure } = request;
  const address = addressSubject(request.ip);
  const cookie = cookieIn(request.headers, secure);
  const place = { address, agent: request.headers['user-agent'] ?? '', cookie };
  const origin = `${request.protocol}://${request.host}`;
  const call: ConsoleCall = { call: context, place, secure, origin };
  if (entry.limitClass === 'webhook') {
    // A server sends it, which has no session and no page; what it signed is the bytes.
    options.rates.count('webhook', address);
    context.body = await readBody(request, context.response, EVENT_BYTES_MAX);
    return (handler as StrangerHandler)(call);
  }
  if (entry.limitClass !== 'document') assertMayCarrySession(request, options.insecure);
  if (entry.method !== 'get') assertOwnPage(request);
  if (entry.security === 'open') {
    options.rates.count(entry.limitClass === 'document' ? 'document' : 'signIn', address);
    await readForm(context);
    return (handler as StrangerHandler)(call);
  }
  const signedIn = await memberOf(call, options);
  options.rates.count('member', signedIn.member.id);
  if (!mayCall(signedIn.member, entry)) throw new Fault('role_refused');
  const token = request.headers['x-csrf-token'];
  assert(cookie !== null, 'a session has no cookie');
  if (entry.security === 'session-csrf' && !isCsrfToken(String(token), cookie)) throw new Fault('forged_request');
  await readForm(context);
  return (handler as MemberHandler)({ ...call, signedIn, cookie });
}

function notRouted(methods: readonly string[], method: string): Fault {
  if (methods.length === 0) return new Fault('not_found');
  const allow = methods.join(', ');
  return new Fault('method_not_allowed', {
    message: `This address takes ${allow}, not ${method}.`,
    headers: { allow },
  });
}

/** Strangers are counted by address, since each costs a look-up. */
async function memberOf({ place }: ConsoleCall, { sessions, rates }: ConsoleOptions): Promise<SignedIn> {
  try {
    return await sessions.find(place.cookie);
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_signed_in') rates.count('stranger', place.address);
    throw error;
  }
}

/** Only the roles that the document names: what it does not allow is refused. */
function mayCall({ accountId, role }: ConsoleMember, { roles }: Entry): boolean {
  return (accountId === null ? roles?.operator : roles?.account)?.includes(role) ?? false;
}

async function readForm(context: RequestContext): Promise<void> {
  const validator = validators[context.operationId ?? ''];
  if (!validator) return;
  context.body = jsonBody(await readBody(context.request, context.response, FORM_BYTES_MAX));
  assertValid(validator, context.body);
}
