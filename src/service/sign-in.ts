/** The ways to sign in besides links and passwords; loaded with the settings. */
import type { Passkeys } from '#members/passkeys.ts';
import type { Sessions } from '#members/sessions.ts';
import type { BuiltStorage, Outside } from './storage.ts';

type Parts = Pick<Outside & BuiltStorage, 'clock' | 'ids' | 'db'>;

/** The passkeys of members. */
export async function passkeysOf(parts: Parts, sessions: Sessions): Promise<Passkeys> {
  const { clock, ids } = parts;
  const [{ Passkeys }, { Attempts }, { createPasskeyStore }, { createAttemptStore }] = await Promise.all([
    import('#members/passkeys.ts'),
    import('#members/attempts.ts'),
    import('#storage/members/passkeys.ts'),
    import('#storage/members/attempts.ts'),
  ]);
  const attempts = new Attempts({ store: createAttemptStore(parts), clock });
  return new Passkeys({ store: createPasskeyStore(parts), attempts, sessions, clock, ids });
}
