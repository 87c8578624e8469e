/** The operator's console: who is signed in, the pages, and the way out. */
import { place, placeLink } from '../address.ts';
import { Frame } from '../parts/frame.tsx';
import { Heading, NoSuchPlace } from '../parts/heading.tsx';
import { Empty } from '../parts/states.tsx';
import { type Schemas, session } from '../settings/session.ts';
import { MemberArea, SignIn, WhoIsHere } from '../settings/signed-in.tsx';
import { PAGES } from './pages.ts';

const shown = () => PAGES.find(({ name }) => name === (place.value.name || PAGES[0].name));

/** The whole page. */
export function OperatorPages() {
  const who = session.value;
  const here = shown();
  const pages = who?.account === null ? PAGES : [];
  const tabs = [
    ...pages.map((page) => ({ text: page.text, href: placeLink(page.name), isHere: page === here })),
    { text: 'Market', href: '/' },
    { text: 'Documentation', href: '/docs' },
  ];
  return (
    <Frame tabs={tabs} aside corner={who && <WhoIsHere who={who} />}>
      <MemberArea
        outside={
          <SignIn title="Console" about="Pods, books, accounts and money, for those who run this gateway." operator />
        }
      >
        {(member) => <Inside who={member} />}
      </MemberArea>
    </Frame>
  );
}

function Inside({ who: { account, role } }: { readonly who: Schemas['Session'] }) {
  const page = shown();
  if (account !== null)
    return (
      <>
        <Heading title="Console" />
        <Empty>
          The console is for those who run this gateway. You are signed in for the account {account.name}:{' '}
          <a href="/settings">its settings are there</a>.
        </Empty>
      </>
    );
  return page ? <page.View role={role} rest={place.value.rest} /> : <NoSuchPlace home={placeLink(PAGES[0].name)} />;
}
