/** Warns a member that somebody else was given a link to sign in as this member. */
import { useState } from 'preact/hooks';
import { Moment } from '../parts/figures.tsx';
import type { Schemas } from './session.ts';

/** The link whose notice was dismissed, kept in this browser only: a stranger who used the link must not hide it elsewhere. */
const READ = 'sluice-link-read';

/** Nothing once it was read here. */
export function LinkNotice({ who: { email, link_made_at: madeAt } }: { readonly who: Schemas['Session'] }) {
  const link = `${email} ${madeAt}`;
  const [read, setRead] = useState(localStorage.getItem(READ));
  if (madeAt === null || read === link) return null;
  const close = () => {
    localStorage.setItem(READ, link);
    setRead(link);
  };
  return (
    <p class="note" role="status">
      The operator of this gateway made a sign-in link for {email} on <Moment ms={Date.parse(madeAt)} />. If you did not
      ask for it, tell the operator, and look at your sessions and passkeys under{' '}
      <a href="/settings#/security">Security</a>.{' '}
      <button type="button" class="plain" onClick={close}>
        I have read this
      </button>
    </p>
  );
}
