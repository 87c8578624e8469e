/** The settings: who is signed in, the screens, and the way out. */
import type { ComponentType } from 'preact';
import { place, placeLink } from '../address.ts';
import { Frame } from '../parts/frame.tsx';
import { Heading, NoSuchPlace } from '../parts/heading.tsx';
import { Empty } from '../parts/states.tsx';
import { AlertBanner } from './alerts.tsx';
import { HomeView } from './home.tsx';
import { KeysView } from './keys.tsx';
import { later } from './later.tsx';
import { type Schemas, session } from './session.ts';
import { MemberArea, SignIn, WhoIsHere } from './signed-in.tsx';
// A provider leads back to this page: the address is read before a screen is loaded.
import './route.ts';

type Account = NonNullable<Schemas['SessionAccount']>;

/** What a screen is given. */
interface ScreenProps {
  readonly who: Schemas['Session'];
  readonly account: Account;
  /** What it is about, such as an id. */
  readonly rest: string;
}

interface Screen {
  readonly name: string;
  /** In the navigation; a screen without is a part of the one `within`. */
  readonly text?: string;
  readonly within?: string;
  /** The roles that it is for; all where there are none. */
  readonly roles?: readonly string[];
  readonly View: ComponentType<ScreenProps>;
}

const AlertsView = later(async () => (await import('./alert-rules.tsx')).AlertsView);
const ActivityView = later(async () => (await import('./activity.tsx')).ActivityView);
const BillingView = later(async () => (await import('./billing.tsx')).BillingView);
const DangerView = later(async () => (await import('./danger.tsx')).DangerView);
const OrderView = later(async () => (await import('./order.tsx')).OrderView);
const SecurityView = later(async () => (await import('./security.tsx')).SecurityView);
const StatementView = later(async () => (await import('./statement.tsx')).StatementView);
const StorageView = later(async () => (await import('./storage.tsx')).StorageView);
const WebhooksView = later(async () => (await import('./webhooks.tsx')).WebhooksView);
const MailLink = later(async () => (await import('./mail-link.tsx')).MailLink);
const MembersView = later(async () => (await import('./members.tsx')).MembersView);

/** Developers see no money. */
const SEE_MONEY = ['owner', 'viewer'];
/** Viewers change nothing. */
const CHANGE = ['owner', 'developer'];

const SCREENS: readonly [Screen, ...Screen[]] = [
  {
    name: 'home',
    text: 'Home',
    View: ({ who }) => <HomeView who={who} seesMoney={SEE_MONEY.includes(who.role)} />,
  },
  { name: 'keys', text: 'Keys', View: ({ account, who: { role } }) => <KeysView account={account} role={role} /> },
  { name: 'activity', text: 'Activity', View: ({ who: { role } }) => <ActivityView part="activity" role={role} /> },
  { name: 'batches', within: 'activity', View: ({ who: { role } }) => <ActivityView part="batches" role={role} /> },
  { name: 'bill', within: 'activity', View: ({ who: { role } }) => <ActivityView part="bill" role={role} /> },
  {
    name: 'order',
    within: 'activity',
    View: ({ rest, who: { role } }) => <OrderView key={rest} id={rest} mayChange={CHANGE.includes(role)} />,
  },
  { name: 'billing', text: 'Billing', roles: SEE_MONEY, View: ({ who: { role } }) => <BillingView role={role} /> },
  { name: 'statement', within: 'billing', roles: SEE_MONEY, View: ({ rest }) => <StatementView month={rest} /> },
  { name: 'alerts', text: 'Alerts', View: ({ who: { role } }) => <AlertsView role={role} /> },
  { name: 'webhooks', text: 'Webhooks', View: ({ who: { role } }) => <WebhooksView role={role} /> },
  { name: 'storage', text: 'Storage', View: ({ who: { role } }) => <StorageView role={role} /> },
  { name: 'members', text: 'Members', View: ({ who: { role, email } }) => <MembersView role={role} email={email} /> },
  { name: 'security', text: 'Security', View: ({ who }) => <SecurityView who={who} /> },
  { name: 'danger', text: 'Danger', roles: ['owner'], View: ({ account }) => <DangerView account={account} /> },
];

const isFor = ({ roles }: Screen, role: string) => !roles || roles.includes(role);
const shown = () => SCREENS.find(({ name }) => name === (place.value.name || SCREENS[0].name));

/** The whole page. Members of the operator have no account, but sign in, too. */
export function SettingsPage() {
  const who = session.value;
  const here = shown();
  const screens = SCREENS.filter((screen) => {
    if (!who || !screen.text) return false;
    return who.account === null ? screen.name === 'security' : isFor(screen, who.role);
  });
  const tabs = [
    ...screens.map(({ name, text = '' }) => ({
      text,
      href: placeLink(name),
      isHere: name === (here?.within ?? here?.name),
    })),
    ...(who?.account === null ? [{ text: 'Console', href: '/console' }] : []),
    { text: 'Market', href: '/' },
    { text: 'Documentation', href: '/docs' },
  ];
  return (
    <Frame tabs={tabs} aside corner={who && <WhoIsHere who={who} />}>
      {place.value.name === 'mail' ? (
        <MailLink link={place.value.rest} />
      ) : (
        <MemberArea outside={<SignIn title="Your account" about="Keys, orders and money of an account." />}>
          {(member) => <Inside who={member} />}
        </MemberArea>
      )}
    </Frame>
  );
}

function Inside({ who }: { readonly who: Schemas['Session'] }) {
  const { account, role } = who;
  const screen = shown();
  if (account === null)
    return screen?.name === 'security' ? (
      <SecurityView who={who} />
    ) : (
      <>
        <Heading title="Your account" />
        <Empty>
          The settings are for members of an account. You are signed in with the operator:{' '}
          <a href="/console">the console is there</a>.
        </Empty>
      </>
    );
  return (
    <>
      {SEE_MONEY.includes(role) && <AlertBanner />}
      {screen && isFor(screen, role) ? (
        <screen.View who={who} account={account} rest={place.value.rest} />
      ) : (
        <NoSuchPlace home={placeLink(SCREENS[0].name)} />
      )}
    </>
  );
}
