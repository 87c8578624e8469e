/** Who is signed in, and the way in and out: the same in the settings and in the console. */
import type { ComponentChildren } from 'preact';
import { useAct } from '../parts/act.tsx';
import { Banner } from '../parts/banner.tsx';
import { Heading } from '../parts/heading.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { LinkNotice } from './link-notice.tsx';
import { loadSession, type Schemas, session, sessionFailure, signOut } from './session.ts';

interface SignedInProps {
  /** For those who are not. */
  readonly outside: ComponentChildren;
  readonly children: (who: Schemas['Session']) => ComponentChildren;
}

/** What a member sees, once it is known who that is, below what it must know of its way in. */
export function MemberArea({ outside, children }: SignedInProps) {
  const who = session.value;
  if (sessionFailure.value !== null)
    return <Failure sentence={sessionFailure.value} retry={() => void loadSession()} />;
  if (who === undefined) return <Loading />;
  if (who === null) return outside;
  return (
    <>
      <LinkNotice who={who} />
      {!who.has_password && !who.has_passkey && (
        <Banner name="sluice-passkey" about={who.email}>
          The link that signed you in works once. <a href="/settings#/security">Add a passkey or a password</a> to come
          back without another.
        </Banner>
      )}
      {children(who)}
    </>
  );
}

interface SignInProps {
  readonly title: string;
  /** What is there. */
  readonly about: string;
  /** Whether it is for those who run the gateway, and not for members of an account. */
  readonly operator?: boolean;
}

/** How a stranger becomes a member. */
const INVITED = 'The first start of a gateway prints a link for its demo account. Otherwise its operator invites you:';
const OPERATOR_INVITED = 'Somebody with a shell on the machine invites you:';

/** Leads to where people sign in, and from there back to this place. */
export function SignIn({ title, about, operator = false }: SignInProps) {
  const here = `${location.pathname}${location.hash}`;
  return (
    <section class="panel narrow">
      <Heading title={title} />
      <p>{about} You are not signed in.</p>
      <p>
        <a class="button primary" href={`/settings/sign-in?${new URLSearchParams({ return: here })}`}>
          Sign in
        </a>
      </p>
      <p class="faint small">
        {operator ? OPERATOR_INVITED : INVITED}{' '}
        <code>
          npx sluice member invite EMAIL <code>{operator ? '--operator operator' : '--account ID'}</code>
        </code>
        .
      </p>
    </section>
  );
}

/** In the corner of the page, with the account of a member that has one. */
export function WhoIsHere({ who }: { readonly who: Schemas['Session'] }) {
  const leave = useAct(signOut);
  return (
    <span class="corner small">
      <span class="faint who" title={who.account?.account_id}>
        {who.email}, {who.role}
        {who.account && ` of ${who.account.name}`}
      </span>{' '}
      <button type="button" class="plain" onClick={() => void leave.run()}>
        Sign out
      </button>
      {leave.failure && <span role="alert"> {leave.failure}</span>}
    </span>
  );
}
