/** The frame of the operator's console: who is signed in, the pages, and the way out. */
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { LinkNotice } from '../settings/link-notice.tsx';
import { loadSession, session, sessionFailure } from '../settings/session.ts';
import { WhoIsHere } from '../settings/who-is-here.tsx';
import { PAGES } from './pages.ts';
import { pageAddress, place } from './route.ts';

const pageNow = () => PAGES.find(({ name }) => name === place.value.page) ?? PAGES[0];

/** The whole page. */
export function OperatorFrame() {
  const who = session.value;
  return (
    <div class="frame">
      <header class="top">
        <a class="brand" href="/">
          Sluice
        </a>
        <nav class="tabs" aria-label="Pages">
          {who?.account === null &&
            PAGES.map((page) => (
              <a
                key={page.name}
                class="tab"
                href={pageAddress(page.name)}
                aria-current={page === pageNow() ? 'page' : undefined}
              >
                {page.text}
              </a>
            ))}
          <a class="tab" href="/">
            Market
          </a>
        </nav>
        {who && <WhoIsHere who={who} />}
      </header>
      <main>
        <Inside />
      </main>
    </div>
  );
}

function Inside() {
  const who = session.value;
  if (sessionFailure.value !== null)
    return <Failure sentence={sessionFailure.value} retry={() => void loadSession()} />;
  if (who === undefined) return <Loading />;
  if (who === null) return <Outside />;
  if (who.account !== null) return <OfAnAccount name={who.account.name} />;
  const { View } = pageNow();
  return (
    <>
      <LinkNotice who={who} />
      {!who.has_password && !who.has_passkey && (
        <p class="note">
          The link that signed you in works once. <a href="/settings#/security">Add a passkey or a password</a> to come
          back without another.
        </p>
      )}
      <View role={who.role} rest={place.value.rest} />
    </>
  );
}

function Outside() {
  return (
    <section class="panel narrow">
      <h1>Console</h1>
      <p>Pods, books, accounts and money, for those who run this gateway. You are not signed in.</p>
      <p>
        <a class="button" href="/settings/sign-in">
          Sign in
        </a>
      </p>
      <p class="faint small">
        Somebody with a shell on the machine invites you:{' '}
        <code>npx sluice member invite EMAIL --operator operator</code>.
      </p>
    </section>
  );
}

function OfAnAccount({ name }: { readonly name: string }) {
  return (
    <Empty>
      The console is for those who run this gateway. You are signed in for the account {name}:{' '}
      <a href="/settings">its settings are there</a>.
    </Empty>
  );
}
