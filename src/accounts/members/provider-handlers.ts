/** Signing in with the identity provider, where there is one. */
import { Fault } from '#base/fault.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import { cookieFor, cookieIn } from './cookie.ts';
import type { Identities } from './identities.ts';
import { openedReply, type SessionParts } from './sign-in-handlers.ts';

/** What these handlers need. */
export interface ProviderOptions extends SessionParts {
  /** Null where no provider is configured. */
  readonly identities: Identities | null;
}

/** startProviderSignIn and signInWithProvider. */
export function providerHandlers({
  identities,
  ...parts
}: ProviderOptions): HandlersFor<'startProviderSignIn' | 'signInWithProvider'> {
  const replyFor = openedReply(parts);
  const configured = () => {
    if (!identities) throw new Fault('not_found', { message: 'This gateway has no identity provider.' });
    return identities;
  };
  return {
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
  };
}
