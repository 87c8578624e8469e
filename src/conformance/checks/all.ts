/** All checks, of any gateway that says it speaks these shapes, in the order in which they run. */

import { accounts } from './account.ts';
import { batches, files } from './batches.ts';
import { chats, completions } from './chat.ts';
import type { CheckGroup } from './check.ts';
import { discovery } from './discovery.ts';
import { envelopes } from './envelopes.ts';
import { idempotency } from './idempotency.ts';
import { market, marketStreams } from './market.ts';
import { messages } from './messages.ts';
import { orders } from './orders.ts';
import { receipts } from './receipts.ts';
import { responses } from './responses.ts';
import { streams } from './streams.ts';
import { terms } from './terms.ts';

export const groups: readonly CheckGroup[] = [
  { name: 'keys and refusals', checks: envelopes },
  { name: 'chat completions', checks: chats },
  { name: 'text completions', checks: completions },
  { name: 'responses', checks: responses },
  { name: 'messages', checks: messages },
  { name: 'streams', checks: streams },
  { name: 'idempotency', checks: idempotency },
  { name: 'models and discovery', checks: discovery },
  { name: 'receipts', checks: receipts },
  { name: 'terms of an order', checks: terms },
  { name: 'orders', checks: orders },
  { name: 'account and usage', checks: accounts },
  { name: 'files', checks: files },
  { name: 'batches', checks: batches },
  { name: 'market data', checks: market },
  { name: 'streams of the market', checks: marketStreams },
];
