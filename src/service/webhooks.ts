/** Webhooks: what is watched for them, and their delivery, where several gateways serve in one of them. */

import { Dispatcher } from '#accounts/webhooks/dispatcher.ts';
import { createOutboxStore } from '#accounts/webhooks/outbox-store.ts';
import { type WatchOptions, WebhookWatch } from '#accounts/webhooks/watch.ts';
import type { BuiltStorage, Outside } from './storage.ts';

type WebhookParts = Pick<Outside & BuiltStorage, 'config' | 'clock' | 'ids' | 'random' | 'log' | 'db' | 'journal'>;

/** What delivers, and what watches. */
export interface Webhooks {
  readonly dispatcher: Dispatcher;
  readonly watch: WebhookWatch;
  close(): Promise<void>;
}

/** Begins to look for messages and events; the caller closes it. */
export function webhooksOf(parts: WebhookParts, watched: Pick<WatchOptions, 'pods' | 'mayRun'>): Webhooks {
  const { db, clock, config } = parts;
  const { mayRun } = watched;
  const watch = new WebhookWatch({ ...parts, ...watched });
  const dispatcher = new Dispatcher({
    ...parts,
    ...{ mayRun, allow: config.webhooks.allow, store: createOutboxStore({ db, clock }) },
    isOutage: (error) => db.dialect.isTransient(error),
  });
  return {
    dispatcher,
    watch,
    async close() {
      await Promise.all([watch.close(), dispatcher.close()]);
    },
  };
}
