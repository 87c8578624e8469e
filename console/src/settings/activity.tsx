/** What the account asked for: orders as they move, batches, and the bill. */
import { placeLink } from '../address.ts';
import { Heading } from '../parts/heading.tsx';
import { BatchesView } from './batches.tsx';
import { BillView } from './bill.tsx';
import { OrdersView } from './orders.tsx';

const PARTS = [
  ['activity', 'Orders'],
  ['batches', 'Batches'],
  ['bill', 'Bill'],
] as const;

interface ActivityProps {
  readonly part: (typeof PARTS)[number][0];
  readonly role: string;
}

/** The screens at `#/activity`, `#/batches` and `#/bill`. */
export function ActivityView({ part, role }: ActivityProps) {
  const mayChange = role === 'owner' || role === 'developer';
  return (
    <>
      <Heading title="Activity">
        <nav class="tabs" aria-label="Activity">
          {PARTS.map(([name, text]) => (
            <a key={name} class="tab" href={placeLink(name)} aria-current={name === part ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      </Heading>
      {part === 'activity' && <OrdersView mayChange={mayChange} />}
      {part === 'batches' && <BatchesView mayChange={mayChange} />}
      {part === 'bill' && <BillView />}
    </>
  );
}
