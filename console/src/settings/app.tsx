/** The frame of the settings: who is signed in, the screens, and the way out. */
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { ActivityView } from './activity.tsx';
import { AlertBanner } from './alerts.tsx';
import { BillingView } from './billing.tsx';
import { DangerView } from './danger.tsx';
import { KeysView } from './keys.tsx';
import { later } from './later.tsx';
import { LinkNotice } from './link-notice.tsx';
import { OrderView } from './order.tsx';
import { screen } from './route.ts';
import { SecurityView } from './security.tsx';
import { loadSession, type Schemas, session, sessionFailure } from './session.ts';
import { StatementView } from './statement.tsx';
import { StorageView } from './storage.tsx';
import { WhoIsHere } from './who-is-here.tsx';

type Account = NonNullable<Schemas['SessionAccount']>;

const WebhooksView = later(async () => (await import('./webhooks.tsx')).WebhooksView);
const MembersView = later(async () => (await import('./members.tsx')).MembersView);

const TABS = [
  ['keys', 'Keys'],
  ['activity', 'Activity'],
  ['billing', 'Billing'],
  ['webhooks', 'Webhooks'],
  ['storage', 'Storage'],
  ['members', 'Members'],
  ['security', 'Security'],
  ['danger', 'Danger'],
] as const;

/** Developers see no money. */
const seesMoney = (role: string | undefined) => role === 'owner' || role === 'viewer';

/** Members of the operator have no account, but sign in, too. */
function isFor(tab: string, who: Schemas['Session'] | null | undefined): boolean {
  if (who?.account === null) return tab === 'security';
  if (tab === 'danger') return who?.role === 'owner';
  return tab !== 'billing' || seesMoney(who?.role);
}

/** The view of an order is part of the activity, a statement of the billing. */
function isIn(tab: string): boolean {
  const { value } = screen;
  const inside: Partial<Record<string, string>> = {
    ...{ order: 'activity', batches: 'activity', usage: 'activity' },
    statement: 'billing',
  };
  return tab === (inside[value.screen] ?? value.screen);
}

/** The whole page. */
export function SettingsPage() {
  const who = session.value;
  return (
    <div class="frame">
      <header class="top">
        <a class="brand" href="/">
          Sluice
        </a>
        <nav class="tabs" aria-label="Pages">
          {TABS.filter(([name]) => isFor(name, who)).map(([name, text]) => (
            <a key={name} class="tab" href={`#/${name}`} aria-current={isIn(name) ? 'page' : undefined}>
              {text}
            </a>
          ))}
          {who?.account === null && (
            <a class="tab" href="/console">
              Console
            </a>
          )}
          <a class="tab" href="/">
            Market
          </a>
          <a class="tab" href="/docs">
            Documentation
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
  if (screen.value.screen === 'security')
    return (
      <>
        <LinkNotice who={who} />
        <SecurityView who={who} />
      </>
    );
  if (who.account === null)
    return (
      <Empty>
        The settings are for members of an account. You are signed in with the operator:{' '}
        <a href="/console">the console is there</a>.
      </Empty>
    );
  return (
    <>
      <LinkNotice who={who} />
      {!who.has_password && !who.has_passkey && (
        <p class="note">
          The link that signed you in works once. <a href="#/security">Add a passkey or a password</a> to come back
          without another.
        </p>
      )}
      {seesMoney(who.role) && <AlertBanner />}
      <Screen account={who.account} who={who} />
    </>
  );
}

function Screen({ account, who }: { readonly account: Account; readonly who: Schemas['Session'] }) {
  const { role, email } = who;
  const { value } = screen;
  if (value.screen === 'order') return <OrderView key={value.id} id={value.id} role={role} />;
  if (value.screen === 'billing' && seesMoney(role)) return <BillingView role={role} />;
  if (value.screen === 'statement' && seesMoney(role)) return <StatementView month={value.month} />;
  if (value.screen === 'danger' && role === 'owner') return <DangerView account={account} />;
  if (value.screen === 'webhooks') return <WebhooksView role={role} />;
  if (value.screen === 'storage') return <StorageView role={role} />;
  if (value.screen === 'members') return <MembersView {...{ role, email }} />;
  if (value.screen === 'activity' || value.screen === 'batches' || value.screen === 'usage')
    return <ActivityView part={value.screen} role={role} />;
  return <KeysView account={account} role={role} />;
}

function Outside() {
  return (
    <section class="panel narrow">
      <h1>Settings</h1>
      <p>Keys, orders and money of an account. You are not signed in.</p>
      <p>
        <a class="button" href="/settings/sign-in">
          Sign in
        </a>
      </p>
      <p class="faint small">
        The first start of a gateway prints a link for its demo account. Otherwise whoever runs it invites you:{' '}
        <code>npx sluice member invite EMAIL --account ID</code>.
      </p>
    </section>
  );
}
