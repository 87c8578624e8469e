/** The keys of an account, which the operator may revoke. */
import { useSource } from '../data/polled.ts';
import { MomentOr, Money } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

const EVERY_MS = 15_000;

interface KeysOfAccountProps {
  readonly id: string;
  readonly mayChange: boolean;
}

/** The section of the account's page. */
export function KeysOfAccount({ id, mayChange }: KeysOfAccountProps) {
  const load = () => granted(settings.GET('/console/api/accounts/{id}/keys', { params: { path: { id } } }));
  const source = useSource(id, load, EVERY_MS);
  const revoke = async (key: string) => {
    await granted(settings.DELETE('/console/api/accounts/{id}/keys/{key}', { params: { path: { id, key } } }));
    await source.again();
  };
  return (
    <section>
      <h2>Keys</h2>
      <Shown source={source} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>It has no key. Its owner makes one in the settings.</Empty>
          ) : (
            <KeyTable keys={data} revoke={mayChange ? revoke : null} />
          )
        }
      </Shown>
    </section>
  );
}

interface KeyTableProps {
  readonly keys: readonly Schemas['ListedKey'][];
  /** Null for those who may only look. */
  readonly revoke: ((key: string) => Promise<void>) | null;
}

function KeyTable({ keys, revoke }: KeyTableProps) {
  return (
    <DataTable
      label="Keys"
      rows={keys}
      keyOf={({ key_id }) => key_id}
      columns={[
        {
          head: 'Key',
          cell: ({ name, hint, scopes }) => (
            <>
              {name}
              <span class="id">{hint}</span>
              <span class="id">{scopes.join(', ')}</span>
            </>
          ),
        },
        { head: 'Last used', cell: ({ last_used_at }) => <MomentOr at={last_used_at} /> },
        {
          ...{ head: 'This month', number: true, title: 'What was charged this month, UTC' },
          cell: ({ spent_this_month_usd }) => <Money value={spent_this_month_usd} />,
        },
        revoke !== null && {
          ...{ head: 'Changes', unheaded: true, number: true },
          cell: ({ key_id, name }) => (
            <Confirmed
              text="Revoke"
              label={`Revoke ${name}`}
              warning="Programs that use it are refused from now on."
              yes="Revoke it"
              no="Keep it"
              act={() => revoke(key_id)}
            />
          ),
        },
      ]}
    />
  );
}
