/** Who am I, signing in by link, password or identity provider, and signing out. Passkeys are in passkey-handlers.ts. */

import assert from 'node:assert';
import type { MemberSession } from '#access/member.ts';
import { readEmail } from '#access/member.ts';
import type { ConsoleRates } from '#access/request-rates.ts';
import { Fault } from '#base/fault.ts';
import { iso } from '#base/time.ts';
import type { ConsoleVisit } from '#contract/call.ts';
import { handlersOf } from '#contract/call.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import type { components } from '#generated/console-api/types.ts';
import type { AccessStore } from '../keys/access-store.ts';
import { cookieFor, cookieIn, noCookie } from './cookie.ts';
import type { Identities } from './identities.ts';
import type { Passkeys } from './passkeys.ts';
import { csrfTokenOf } from './secrets.ts';
import { type OpenedSession, SESSION_MS_MAX, type Sessions } from './sessions.ts';

/** What tells a browser who it is. */
export interface SessionParts {
  readonly access: Pick<AccessStore, 'account'>;
  readonly passkeys: Passkeys;
}

type Schemas = components['schemas'];

/** getSession, signOut, signInWithLink, signInWithPassword, setPassword, listSessions and revokeSession. */
export function signInHandlers(
  parts: SessionParts,
  { sessions, rates }: { readonly sessions: Sessions; readonly rates: Pick<ConsoleRates, 'count'> },
) {
  const replyFor = openedReply(parts);
  return handlersOf({
    async getSession({ signedIn, cookie }) {
      return { status: 200, json: await sessionObject({ signedIn, cookie }, parts) };
    },

    async signOut({ signedIn, secure }) {
      await sessions.end(signedIn, signedIn.session.id);
      return { status: 204, headers: { 'set-cookie': noCookie(secure) } };
    },

    async signInWithLink(call) {
      const { token } = call.call.body;
      return replyFor(await sessions.openByLink(token, call.place), call);
    },

    async signInWithPassword(call) {
      const form = call.call.body;
      const email = readEmail(form.email);
      if (await sessions.isKnownBrowser(email, call.place.cookie))
        rates.count('password', `browser ${call.place.cookie}`);
      else {
        rates.count('password', `${call.place.address} ${email}`);
        rates.count('email', email);
      }
      return replyFor(await sessions.openByPassword(email, form.password, call.place), call);
    },

    async setPassword({ signedIn, call }) {
      const { password, current_password: current } = call.body;
      if (current !== undefined) rates.count('password', `member ${signedIn.member.id}`);
      await sessions.setPassword(signedIn, password, current ?? null);
      return { status: 204 };
    },

    async listSessions({ signedIn: { member, session } }) {
      const data = (await sessions.list(member.id)).map((one) => listedSession(one, session.id));
      return { status: 200, json: { object: 'list', data } };
    },

    async revokeSession({ signedIn, call }) {
      await sessions.end(signedIn, call.params.id);
      return { status: 204 };
    },
  });
}

/** startProviderSignIn and signInWithProvider. */
export function providerHandlers(
  parts: SessionParts,
  /** Null where no provider is configured. */
  identities: Identities | null,
) {
  const replyFor = openedReply(parts);
  const configured = () => {
    if (!identities) throw new Fault('not_found', { message: 'This gateway has no identity provider.' });
    return identities;
  };
  return handlersOf({
    async startProviderSignIn({ call, origin, secure }) {
      const { return_to: returnTo = null } = call.body;
      const { url, attempt } = await configured().begin(origin, returnTo);
      const json = { object: 'provider_visit', url };
      return { status: 200, headers: { 'set-cookie': cookieFor(attempt, secure, 'attempt') }, json };
    },

    async signInWithProvider(call) {
      const { parameters } = call.call.body;
      const attempt = cookieIn(call.call.headers, call.secure, 'attempt');
      const opened = await configured().open({ parameters, attempt, place: call.place });
      return replyFor(opened, call);
    },
  });
}

/** The reply to whoever signed in, with the cookie. */
export function openedReply(
  parts: SessionParts,
): (
  opened: OpenedSession & { readonly returnTo?: string | null },
  call: Pick<ConsoleVisit, 'secure'>,
) => Promise<JsonReply<JsonOf<'signInWithProvider'>, 200>> {
  return async ({ returnTo, ...opened }, { secure }) => ({
    status: 200,
    headers: { 'set-cookie': cookieFor(opened.cookie, secure) },
    json: { ...(await sessionObject(opened, parts)), return_to: returnTo },
  });
}

async function sessionObject(
  { signedIn: { member, session }, cookie }: OpenedSession,
  parts: SessionParts,
): Promise<JsonOf<'getSession'>> {
  const { access, passkeys } = parts;
  return {
    object: 'session',
    session_id: session.id,
    email: member.email,
    role: member.role,
    account: member.accountId === null ? null : await accountObject(member.accountId, access),
    has_password: member.passwordHash !== null,
    has_passkey: (await passkeys.list(member.id)).length > 0,
    csrf_token: csrfTokenOf(cookie),
    opened_at: iso(session.openedAtMs),
    ends_at: iso(session.openedAtMs + SESSION_MS_MAX),
    return_to: undefined,
  };
}

function listedSession(session: MemberSession, currentId: string): Schemas['ListedSession'] {
  const { id, method, address, agent } = session;
  return {
    object: 'session',
    session_id: id,
    current: id === currentId,
    method,
    address,
    agent,
    opened_at: iso(session.openedAtMs),
    seen_at: iso(session.seenAtMs),
  };
}

async function accountObject(id: string, access: SessionParts['access']) {
  const account = await access.account(id);
  assert(account, `account ${id} is gone`);
  return { account_id: account.id, name: account.name, status: account.status };
}
