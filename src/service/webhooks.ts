/** Webhooks: what is watched for them, and their delivery, where several gateways serve in one of them. */
import { RuleWatch } from '#accounts/alerts/rule-watch.ts';
import { Dispatcher } from '#accounts/webhooks/dispatcher.ts';
import { OutboxStore } from '#accounts/webhooks/outbox-store.ts';
import { type WatchOptions, WebhookWatch } from '#accounts/webhooks/watch.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** The parts that deliver, and those that watch. */
export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

/** What webhooks are built from. `mayRun`: whether this gateway watches and delivers; absent: it does. */
export interface WebhookParts extends Pick<WatchOptions, 'pods' | 'mayRun'> {
  readonly outside: Outside;
  readonly storage: Pick<BuiltStorage, 'db' | 'journal'>;
}

/** Begins to look for messages and events; the caller closes it. */
export async function startWebhooks({ outside, storage, pods, mayRun }: WebhookParts) {
  const { config, clock, ids, random, log } = outside;
  const { db, journal } = storage;
  const watch = new WebhookWatch({ db, clock, ids, log, pods, mayRun });
  const rules = new RuleWatch({ db, clock, log, mayRun });
  const mailer = config.mail && (await import('#accounts/webhooks/mailer.ts')).openMailer(config.mail, { clock, log });
  const dispatcher = new Dispatcher({
    journal,
    clock,
    random,
    log,
    store: new OutboxStore({ db, clock }),
    allow: config.webhooks.allow,
    mailer,
    isOutage: (error) => db.dialect.isOutage(error),
    mayRun,
  });
  return {
    dispatcher,
    watch,
    async close() {
      await Promise.all([watch.close(), rules.close(), dispatcher.close()]);
    },
  };
}
