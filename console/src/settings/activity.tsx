/** What the account asked for: orders as they move, batches, and usage by day. */
import { placeLink } from '../address.ts';
import { Heading } from '../parts/heading.tsx';
import { BatchesView } from './batches.tsx';
import { OrdersView } from './orders.tsx';
import { UsageView } from './usage.tsx';

const PARTS = [
  ['activity', 'Orders'],
  ['batches', 'Batches'],
  ['usage', 'Usage'],
] as const;

interface ActivityProps {
  readonly part: (typeof PARTS)[number][0];
  readonly role: string;
}

/** The screens at `#/activity`, `#/batches` and `#/usage`. */
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
      {part === 'usage' && <UsageView />}
    </>
  );
}
