/** The link of an invitation, which its owner hands over. */
import type { ComponentChildren } from 'preact';
import { Moment } from '../parts/figures.tsx';
import { Copy } from '../parts/source.tsx';
import type { Schemas } from './session.ts';

/** Shown once: the gateway keeps only a hash of it. Who has signed in before has a new role and no link. `children` is what else to know of it. */
export function InvitationLink({
  of: { email, role, link, expires_at },
  onDone,
  children,
}: {
  readonly of: Pick<Schemas['InvitedMember'], 'email' | 'role' | 'link' | 'expires_at'>;
  readonly onDone: () => void;
  readonly children?: ComponentChildren;
}) {
  if (link === null || expires_at === null)
    return (
      <section class="panel" aria-label="New role">
        <p>
          {email} is {role}. It has signed in before, so there is no new link: the operator of this gateway can make one
          if it cannot come back.
        </p>
        <button type="button" class="button" onClick={onDone}>
          Done
        </button>
      </section>
    );
  return (
    <section class="panel made" aria-label="New link">
      <p>
        Hand this link to {email}. It signs in once as {role}, until <Moment ms={Date.parse(expires_at)} />, and is not
        shown again.
      </p>
      <p>
        <code class="secret">{link}</code> <Copy text={link} label="Copy the link" />
      </p>
      {children}
      <button type="button" class="button" onClick={onDone}>
        Done
      </button>
    </section>
  );
}
