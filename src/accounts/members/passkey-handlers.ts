/** The member's own passkeys, and signing in with one. */

import { readEmail } from '#access/member.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { siteAt } from './authenticators.ts';
import { cookieFor, cookieIn } from './cookie.ts';
import { PASSKEYS_PER_MEMBER, type Passkey } from './passkeys.ts';
import { openedReply, type SessionParts } from './sign-in-handlers.ts';

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
