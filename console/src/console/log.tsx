/** The audit log: who changed what, the newest first; of all, or of what concerns one account. */
import { placeLink } from '../address.ts';
import { Moment } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import type { PageProps } from './page.ts';
import { Paged } from './paged.tsx';

const PATH = '/console/api/audit-log';
const LIMIT = 50;

type Change = Schemas['Change'];

/** The page at `#/log`, and at `#/log/ID` of an account. */
export function LogPage({ rest }: PageProps) {
  const filter = { limit: LIMIT, ...(rest === '' ? {} : { account: rest }) };
  const load = (cursor: string | undefined) => {
    const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET(PATH, { params: { query } }));
  };
  return (
    <>
      <Heading title="Audit log">{rest !== '' && <a href={placeLink('log')}>Of everything</a>}</Heading>
      {rest !== '' && (
        <p>
          Of the account{' '}
          <a class="path" href={placeLink('accounts', rest)}>
            {rest}
          </a>
        </p>
      )}
      <Paged
        key={rest}
        name="audit-log"
        path={`${PATH}?limit=${LIMIT}${rest === '' ? '' : `&account=${encodeURIComponent(rest)}`}`}
        load={load}
        empty="Nothing was changed yet. What members and the command line change comes here: who, what, before and after."
        columns={['id', 'at', 'who', 'what', 'account_id', 'subject', 'before', 'after']}
        cells={(row) => [
          ...[row.id, row.at, row.who, row.what, row.account_id, row.subject],
          ...[row.before && JSON.stringify(row.before), row.after && JSON.stringify(row.after)],
        ]}
      >
        {(rows) => <ChangeTable rows={rows} />}
      </Paged>
    </>
  );
}

function ChangeTable({ rows }: { readonly rows: readonly Change[] }) {
  return (
    <DataTable
      label="Changes"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { head: 'When', cell: ({ at }) => <Moment ms={Date.parse(at)} /> },
        { head: 'What happened', cell: (change) => <Sentence of={change} /> },
        { head: 'Before and after', cell: (change) => <Difference of={change} /> },
      ]}
    />
  );
}

/** The person, what it did, and in which account. */
function Sentence({
  of: { who, what, subject, account_id: account, account_name: name, before, after },
}: {
  readonly of: Change;
}) {
  const named = nameIn(after) ?? nameIn(before);
  return (
    <>
      <strong>{who}</strong> {DONE[what] ?? what} {named !== null && <q>{named}</q>}
      {account !== null && (
        <>
          {' '}
          of <a href={placeLink('accounts', account)}>{name ?? account}</a>
        </>
      )}
      <span class="id">
        {what} {subject}
      </span>
    </>
  );
}

function nameIn(fields: Change['before']): string | null {
  const name = fields?.name ?? fields?.email;
  return typeof name === 'string' ? name : null;
}

/** The fields that differ; of what is new or gone those that say something. */
function Difference({ of: { before, after } }: { readonly of: Change }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const differing = names
    .map((name) => [name, textOf(before?.[name]), textOf(after?.[name])] as const)
    .filter(([, old, fresh]) => old !== fresh);
  return (
    <dl class="difference">
      {differing.map(([name, old, fresh]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {old !== '' && <del>{old}</del>} {fresh !== '' && <ins>{fresh}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What follows the name of the one who did it. A new kind of change is shown as the gateway calls it. */
const DONE: Readonly<Record<string, string>> = {
  'account.close': 'closed the account',
  'account.create': 'opened the account',
  'account.credit': 'credited money',
  'account.debit': 'took back money',
  'account.refund': 'refunded money',
  'account.pause': 'paused the keys',
  'account.unpause': 'resumed the keys',
  'account.resume': 'resumed the account',
  'account.suspend': 'suspended the account',
  'alert.create': 'made an alert',
  'alert.pause': 'paused an alert',
  'alert.remove': 'removed an alert',
  'alert.resume': 'resumed an alert',
  'alerts.set': 'set the alerts',
  'audit.acknowledge': 'acknowledged a finding',
  'audit.run': 'ran the audit',
  'batch.cancel': 'canceled a batch',
  'configuration.reload': 'reloaded the configuration',
  'key.create': 'made the key',
  'key.revoke': 'revoked the key',
  'key.rotate': 'rotated the key',
  'key.update': 'changed the key',
  'mail.confirm': 'agreed to alerts by mail',
  'mail.stop': 'stopped alerts by mail',
  'member.invite': 'invited',
  'member.join': 'joined',
  'member.remove': 'removed the member',
  'member.role': 'changed the role',
  'order.cancel': 'canceled an order',
  'order.read': 'read what an order sent',
  'order.reprice': 'repriced an order',
  'passkey.add': 'added a passkey',
  'passkey.remove': 'removed a passkey',
  'passkey.rename': 'renamed a passkey',
  'password.set': 'set a password',
  'pod.add': 'added a pod',
  'pod.drain': 'drained a pod',
  'pod.remove': 'removed a pod',
  'pod.resume': 'resumed a pod',
  'pod.slots': 'set the slots of a pod',
  'receipt.revoke': 'revoked the public link to a receipt',
  'receipt.share': 'made a receipt public',
  'session.end': 'ended a session',
  'session.open': 'signed in',
  'storage.change': 'changed what is kept',
  'storage.clear': 'deleted what was kept',
  'token.create': 'made the token',
  'token.revoke': 'revoked the token',
  'top_up.card.remove': 'removed the saved card',
  'top_up.change': 'changed the automatic top-up',
  'top_up.off': 'switched off the automatic top-up',
  'webhook.change': 'changed a webhook',
  'webhook.create': 'made a webhook',
  'webhook.remove': 'removed a webhook',
  'webhook.resend': 'sent a webhook again',
  'webhook.rotate': 'rotated the secret of a webhook',
};
