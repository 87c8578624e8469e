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
        { head: 'Who', cell: ({ who }) => who },
        { head: 'What', cell: (change) => <What of={change} /> },
        {
          head: 'Before and after',
          cell: ({ before, after }) => (
            <>
              <Fields sign="-" of={before} />
              <Fields sign="+" of={after} />
            </>
          ),
        },
      ]}
    />
  );
}

function What({ of: { what, subject, account_id: account } }: { readonly of: Change }) {
  return (
    <>
      {what}
      <span class="id">{subject}</span>
      {account !== null && (
        <a class="id" href={placeLink('accounts', account)}>
          account {account}
        </a>
      )}
    </>
  );
}

function Fields({ sign, of }: { readonly sign: string; readonly of: Change['before'] }) {
  if (of === null) return null;
  return (
    <span class="id">
      {sign}{' '}
      {Object.entries(of)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')}
    </span>
  );
}
