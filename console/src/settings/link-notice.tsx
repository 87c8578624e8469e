/** Warns a member that somebody else was given a link to sign in as this member. */
import { Banner } from '../parts/banner.tsx';
import { Moment } from '../parts/figures.tsx';
import type { Schemas } from './session.ts';

/** Closed in this browser only: a stranger who used the link must not hide it elsewhere. */
export function LinkNotice({ who: { email, link_made_at: madeAt } }: { readonly who: Schemas['Session'] }) {
  if (madeAt === null) return null;
  return (
    <Banner name="sluice-link-read" about={`${email} ${madeAt}`} close="I have read this">
      The operator of this gateway made a sign-in link for {email} on <Moment ms={Date.parse(madeAt)} />. If you did not
      ask for it, tell the operator, and look at your sessions and passkeys under{' '}
      <a href="/settings#/security">Security</a>.
    </Banner>
  );
}
