/** The keys of an account, which the operator may revoke. */
import { useEffect, useMemo } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Moment, Money, Nothing } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, settings } from '../settings/session.ts';

const EVERY_MS = 15_000;

interface KeysOfAccountProps {
  readonly id: string;
  readonly mayChange: boolean;
}

/** The section of the account's page. */
export function KeysOfAccount({ id, mayChange }: KeysOfAccountProps) {
  const load = () => granted(settings.GET('/console/api/accounts/{id}/keys', { params: { path: { id } } }));
  const source = useMemo(() => polled(load, EVERY_MS), [id]);
  useEffect(() => source.start(), [source]);
  const { value, failure } = source.asked.value;
  const revoke = async (key: string) => {
    await granted(settings.DELETE('/console/api/accounts/{id}/keys/{key}', { params: { path: { id, key } } }));
    await source.refresh().then(() => source.refresh());
  };
  return (
    <section>
      <h2>Keys</h2>
      {failure && <Failure sentence={failure} retry={() => void source.refresh()} />}
      {value === null ? (
        !failure && <Loading lines={2} />
      ) : value.data.length === 0 ? (
        <Empty>It has no key. Its owner makes one in the settings.</Empty>
      ) : (
        <ScrolledTable label="Keys">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Last used</th>
              <th scope="col" class="number" title="What was charged this month, UTC">
                This month
              </th>
              {mayChange && (
                <th scope="col">
                  <span class="hidden">Changes</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {value.data.map(({ key_id: key, name, hint, scopes, last_used_at: used, spent_this_month_usd: spent }) => (
              <tr key={key}>
                <th scope="row">
                  {name}
                  <span class="id">{hint}</span>
                  <span class="id">{scopes.join(', ')}</span>
                </th>
                <td>{used === null ? <Nothing /> : <Moment ms={Date.parse(used)} />}</td>
                <td class="number">
                  <Money value={spent} />
                </td>
                {mayChange && (
                  <td>
                    <Confirmed
                      text="Revoke"
                      label={`Revoke ${name}`}
                      warning="Programs that use it are refused from now on."
                      yes="Revoke it"
                      no="Keep it"
                      act={() => revoke(key)}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </ScrolledTable>
      )}
    </section>
  );
}
