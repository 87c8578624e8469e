/** The audit log: who changed what, the newest first; of all, or of what concerns one account. */
import { Moment } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { Paged } from './paged.tsx';
import { type PageProps, pageAddress } from './route.ts';

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
      <div class="head">
        <h1>Audit log</h1>
        {rest !== '' && <a href={pageAddress('log')}>Of everything</a>}
      </div>
      {rest !== '' && (
        <p>
          Of the account{' '}
          <a class="path" href={pageAddress('accounts', rest)}>
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
    <ScrolledTable label="Changes">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Before and after</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <Moment ms={Date.parse(row.at)} />
            </th>
            <td>{row.who}</td>
            <td>
              {row.what}
              <span class="id">{row.subject}</span>
              {row.account_id !== null && (
                <a class="id" href={pageAddress('accounts', row.account_id)}>
                  account {row.account_id}
                </a>
              )}
            </td>
            <td class="reason">
              <Fields sign="-" of={row.before} />
              <Fields sign="+" of={row.after} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
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
