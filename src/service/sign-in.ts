/** The ways to sign in besides links and passwords; loaded with the settings. */
import type { Attempts } from '#accounts/members/attempts.ts';
import type { Identities } from '#accounts/members/identities.ts';
import type { Passkeys } from '#accounts/members/passkeys.ts';
import type { Sessions } from '#accounts/members/sessions.ts';
import type { BuiltStorage, Outside } from './storage.ts';

type Parts = Pick<Outside & BuiltStorage, 'clock' | 'ids' | 'db'>;

/** The identity provider; null without one. */
export async function identitiesOf(
  parts: Parts & Pick<Outside, 'config'>,
  sessions: Sessions,
): Promise<Identities | null> {
  const { oidc } = parts.config.console;
  if (oidc === null) return null;
  const [{ Identities }, { openIdProvider }, { createIdentityStore }] = await Promise.all([
    import('#accounts/members/identities.ts'),
    import('#accounts/members/identity-provider.ts'),
    import('#accounts/members/identity-store.ts'),
  ]);
  const attempts = await attemptsOf(parts);
  return new Identities({ provider: openIdProvider(oidc), store: createIdentityStore(parts), attempts, sessions });
}

/** The passkeys of members. */
export async function passkeysOf(parts: Parts, sessions: Sessions): Promise<Passkeys> {
  const { clock, ids } = parts;
  const [{ Passkeys }, { createPasskeyStore }] = await Promise.all([
    import('#accounts/members/passkeys.ts'),
    import('#accounts/members/passkey-store.ts'),
  ]);
  const attempts = await attemptsOf(parts);
  return new Passkeys({ store: createPasskeyStore(parts), attempts, sessions, clock, ids });
}

async function attemptsOf(parts: Parts): Promise<Attempts> {
  const [{ Attempts }, { createAttemptStore }] = await Promise.all([
    import('#accounts/members/attempts.ts'),
    import('#accounts/members/attempt-store.ts'),
  ]);
  return new Attempts({ store: createAttemptStore(parts), clock: parts.clock });
}
