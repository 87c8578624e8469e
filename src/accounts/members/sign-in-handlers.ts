/** Who am I, signing in by link, password, identity provider or passkey, and signing out; and the member's own passkeys. */
import assert from 'node:assert';
import { type MemberSession, readEmail } from '#access/member.ts';
import type { ConsoleRates } from '#access/request-rates.ts';
import { Fault } from '#base/fault.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { type ConsoleVisit, handlersOf } from '#contract/call.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import type { components } from '#generated/console-api/types.ts';
import type { AccessStore } from '../keys/key-lookup.ts';
import { cookieFor, cookieIn, noCookie } from './cookie.ts';
import type { Identities } from './identities.ts';
import { PASSKEYS_PER_MEMBER, type Passkey, type Passkeys } from './passkeys.ts';
import { csrfTokenOf } from './secrets.ts';
import { type OpenedSession, SESSION_MS_MAX, type Sessions } from './sessions.ts';
import { siteAt } from './webauthn.ts';

/** What a browser learns about its session. */
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
      return replyFor(await configured().open(parameters, attempt, call.place), call);
    },
  });
}

/** The reply to the member who signed in, with the cookie. */
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
    link_made_at: isoOrNull(member.linkMadeAtMs),
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

/** listPasskeys, askForPasskey, addPasskey, renamePasskey, removePasskey, askForSignIn and signInWithPasskey. */
export function passkeyHandlers(parts: SessionParts) {
  const { passkeys } = parts;
  const replyFor = openedReply(parts);
  return handlersOf({
    async listPasskeys({ signedIn: { member } }) {
      const data = (await passkeys.list(member.id)).map(passkeyObject);
      const json = { object: 'list', data, passkeys_max: PASSKEYS_PER_MEMBER };
      return { status: 200, json };
    },

    async askForPasskey({ signedIn, cookie, origin }) {
      const question = await passkeys.askForNew({ signedIn, cookie, site: siteAt(origin) });
      return { status: 200, json: questionObject(question) };
    },

    async addPasskey({ signedIn, cookie, origin, call }) {
      const { name, credential } = call.body;
      const passkey = await passkeys.add({ signedIn, cookie, site: siteAt(origin) }, credential, name);
      return { status: 201, json: passkeyObject(passkey) };
    },

    async renamePasskey({ signedIn, call }) {
      const { name } = call.body;
      return { status: 200, json: passkeyObject(await passkeys.rename(signedIn, call.params.id, name)) };
    },

    async removePasskey({ signedIn, call }) {
      await passkeys.remove(signedIn, call.params.id);
      return { status: 204 };
    },

    async askForSignIn({ origin, secure }) {
      const { question, attempt } = await passkeys.ask(siteAt(origin));
      const headers = { 'set-cookie': cookieFor(attempt, secure, 'attempt') };
      return { status: 200, headers, json: questionObject(question) };
    },

    async signInWithPasskey(call) {
      const { email, credential } = call.call.body;
      const opened = await passkeys.open({
        credential,
        email: email === undefined ? null : readEmail(email),
        attempt: cookieIn(call.call.headers, call.secure, 'attempt'),
        site: siteAt(call.origin),
        place: call.place,
      });
      return replyFor(opened, call);
    },
  });
}

function questionObject(question: object) {
  return { object: 'passkey_question', public_key: { ...question } };
}

function passkeyObject({ id, name, host, createdAtMs, usedAtMs }: Passkey) {
  return {
    object: 'passkey',
    passkey_id: id,
    name,
    host,
    created_at: iso(createdAtMs),
    last_used_at: isoOrNull(usedAtMs),
  };
}
