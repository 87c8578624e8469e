/** The audit log: who changed what, the newest first; of all, or of what concerns one account. */
import { placeLink } from '../address.ts';
import { Moment } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AccountName } from './account-name.tsx';
import { DEEDS } from './deeds.ts';
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
          Of the account <AccountName id={rest} />
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
        { head: 'What happened', whole: true, cell: (change) => <Sentence of={change} /> },
        { head: 'What changed', whole: true, cell: (change) => <Difference of={change} /> },
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
      <strong>{who}</strong> {DEEDS[what] ?? what}
      {named !== null && (
        <>
          {' '}
          <q>{named}</q>
        </>
      )}
      {account !== null && (
        <>
          , account <a href={placeLink('accounts', account)}>{name ?? account}</a>
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
