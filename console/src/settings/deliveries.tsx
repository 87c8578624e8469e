/** The last messages to a webhook or to a target of alerts, and how they stand. */
import { useEffect, useState } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { sentenceOf } from '../data/polled.ts';
import { Moment } from '../parts/figures.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import type { Schemas } from './session.ts';

interface DeliveriesProps {
  readonly load: () => Promise<Schemas['DeliveryList']>;
  /** Sends one again; without it nobody can. */
  readonly resend?: (eventId: string) => Promise<unknown>;
}

/** The list, as of when it was opened or looked at again. */
export function Deliveries({ load, resend }: DeliveriesProps) {
  const [data, setData] = useState<readonly Schemas['WebhookDelivery'][] | null>(null);
  const [failure, setFailure] = useState('');
  const look = () =>
    load().then(
      (list) => {
        setData(list.data);
        setFailure('');
      },
      (error) => setFailure(sentenceOf(error)),
    );
  useEffect(() => {
    void look();
  }, []);
  if (failure) return <Failure sentence={failure} retry={() => void look()} />;
  if (data === null) return <Loading lines={1} />;
  return (
    <>
      <p>
        <button type="button" class="plain" onClick={() => void look()}>
          Look again
        </button>
      </p>
      {data.length === 0 ? (
        <Empty>Nothing was sent in seven days. Each message comes here, also a test, with whether it was taken.</Empty>
      ) : (
        <DataTable
          label="Recent messages"
          rows={data}
          keyOf={({ event_id }) => event_id}
          columns={[
            { head: 'Event', cell: ({ type }) => type },
            { head: 'About', cell: (delivery) => <About of={delivery} /> },
            { head: 'When', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
            { head: 'State', cell: (delivery) => <State of={delivery} /> },
            resend !== undefined && {
              ...{ head: 'Again', unheaded: true },
              cell: ({ event_id }) => (
                <button
                  type="button"
                  class="plain"
                  onClick={() => void resend(event_id).then(look, (error) => setFailure(sentenceOf(error)))}
                >
                  Send again
                </button>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

/** By name where it has one. The id of an address that got a test says nothing. */
function About({ of: { type, subject, about } }: { readonly of: Schemas['WebhookDelivery'] }) {
  if (type === 'webhook.test' || type === 'mail.confirm') return <span class="faint">this address</span>;
  if (type.startsWith('order.')) return <a href={placeLink('order', subject)}>{about}</a>;
  return <>{about ?? <code class="id">{subject}</code>}</>;
}

function State({ of: { status, last_error: error, attempts } }: { readonly of: Schemas['WebhookDelivery'] }) {
  if (status !== 'failing') return <>{status}</>;
  return (
    <span class="fall">
      {error} {attempts} attempts.
    </span>
  );
}
