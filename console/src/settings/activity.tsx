/** What the account asked for: orders as they move, batches, and usage by day. */
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
      <div class="head">
        <h1>Activity</h1>
        <nav class="tabs" aria-label="Activity">
          {PARTS.map(([name, text]) => (
            <a key={name} class="tab" href={`#/${name}`} aria-current={name === part ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      </div>
      {part === 'activity' && <OrdersView mayChange={mayChange} />}
      {part === 'batches' && <BatchesView mayChange={mayChange} />}
      {part === 'usage' && <UsageView />}
    </>
  );
}
