/** The messages that are due, endpoints that are given up, and what the journal knows of the endpoints of an account. */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, kind, oneOf, type Row, reasonOrNull, text } from '#storage/database/values.ts';
import { CONFIRM_EVENT, wantsOf } from '#storage/journal/webhook-event.ts';
import { lockAccount } from '#storage/records/account.ts';

/** How messages are sent: as signed JSON, in the format of Slack, or as mail. */
export const channels = ['webhook', 'slack', 'mail'] as const;
export type Channel = (typeof channels)[number];
export const channelKind = oneOf(channels);

/** Where messages go, and what signs them. */
export interface Receiver {
  readonly id: string;
  readonly accountId: string;
  readonly channel: Channel;
  /** The e-mail address where the channel is mail. */
  readonly url: string;
  /** The newest first; of mail the one that its link has. */
  readonly secrets: readonly string[];
}

const messages = described({
  seq: int,
  eventId: text,
  type: text,
  body: text,
  attempts: int,
  /** When it was tried first; null when it was not. */
  firstAtMs: intOrNull,
});

/** A message that is due. */
export type DueMessage = ObjectOf<typeof messages>;

/** The messages that are still to be delivered. */
export class OutboxStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #dueRows: string;

  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
    this.#dueRows = db.dialect.by('webhook_messages', 'webhook_messages_due');
  }

  /** The enabled endpoints that something is due for: one probe of an index for each, however much some are owed. */
  async dueEndpoints(nowMs: number): Promise<string[]> {
    const { knex } = this.#db;
    return knex('webhook_endpoints')
      .where({ enabled: 1 })
      .whereExists(
        knex
          .from(knex.raw(this.#dueRows))
          .whereRaw('webhook_messages.endpoint_id = webhook_endpoints.id')
          .where('next_at_ms', '<=', nowMs)
          .select(knex.raw('1')),
      )
      .pluck('id');
  }

  /**
   * The oldest messages that are due for an endpoint, and where they go; null when it is gone or disabled. Of each object
   * only the first that is not delivered. An address that is not confirmed gets nothing but the question.
   */
  async due(
    endpointId: string,
    nowMs: number,
    limit: number,
  ): Promise<{ receiver: Receiver; messages: DueMessage[] } | null> {
    const { knex } = this.#db;
    const row: Row | undefined = await knex('webhook_endpoints').where({ id: endpointId, enabled: 1 }).first();
    if (!row) return null;
    const rows: Row[] = await knex
      .select('seq', 'event_id', 'type', 'body', 'attempts', 'first_at_ms')
      .from(knex.raw(this.#dueRows))
      .where({ endpoint_id: endpointId, ...(flag(row.confirmed) ? {} : { type: CONFIRM_EVENT }) })
      .where('next_at_ms', '<=', nowMs)
      .whereNotExists(
        knex('webhook_messages as earlier')
          .whereRaw('earlier.endpoint_id = webhook_messages.endpoint_id')
          .whereRaw('earlier.object_id = webhook_messages.object_id')
          .whereRaw('earlier.seq < webhook_messages.seq')
          .whereNotNull('earlier.next_at_ms')
          .select(knex.raw('1')),
      )
      .orderBy('next_at_ms')
      .limit(limit);
    return { receiver: receiverFrom(row, nowMs), messages: rows.map(messages.from) };
  }

  /** Whether an endpoint is owed more messages than this. Costs one step for each. */
  async owesMore(endpointId: string, than: number): Promise<boolean> {
    const { knex } = this.#db;
    const owed = knex.from(knex.raw(this.#dueRows)).where({ endpoint_id: endpointId }).whereNotNull('next_at_ms');
    return (await owed.orderBy('next_at_ms').offset(than).limit(1).select('seq')).length > 0;
  }

  /** Switches an endpoint off for this reason. What it is owed stays. */
  async disable({ id, accountId }: Pick<Receiver, 'id' | 'accountId'>, reason: string): Promise<void> {
    await writing(this.#db, async (trx) => {
      // Locked as for a change of an endpoint: otherwise an endpoint added meanwhile would be missing from the events
      // of the account.
      await lockEndpoints(trx, accountId);
      const off = { enabled: 0, disabled_reason: reasonOrNull.bind(reason), disabled_at_ms: this.#clock.nowMs() };
      await trx('webhook_endpoints').where({ id, enabled: 1 }).update(off);
      await refreshWants(trx, accountId);
    });
  }
}

function receiverFrom(row: Row, nowMs: number): Receiver {
  const until = intOrNull(row.previous_until_ms);
  const previous = until !== null && until > nowMs ? [text(row.previous_secret)] : [];
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    channel: channelKind(row.channel),
    url: text(row.url),
    secrets: [text(row.secret), ...previous],
  };
}

/** Waits until nobody else changes the endpoints of this account; '' for those of the operator. */
export async function lockEndpoints(trx: Knex.Transaction, accountId: string): Promise<void> {
  if (accountId === '') await takeTurn(trx, 'webhooks');
  else await lockAccount(trx, accountId);
}

/**
 * Brings `accounts.webhooks` up to date, in the transaction that changed an endpoint. The operator's endpoints are of no
 * account, and nothing is written for them by the journal.
 */
export async function refreshWants(trx: Knex.Transaction, accountId: string): Promise<void> {
  if (accountId === '') return;
  const rows: Row[] = await trx('webhook_endpoints').where({ account_id: accountId, enabled: 1 });
  const bits = rows.map((row) => wantsOf({ events: eventNames(row.events), allOrders: flag(row.all_orders) }));
  const webhooks = bits.reduce((all, one) => all | one, 0);
  await trx('accounts').where({ id: accountId }).update({ webhooks });
}

/** The events of an endpoint. In its row each name is found between spaces. */
export const eventNames = kind<readonly string[]>(
  (stored) => text(stored).trim().split(' ').filter(Boolean),
  (events) => ` ${events.join(' ')} `,
);

/** How many endpoints were given up and are not on again. */
export async function countDisabled({ knex }: Database): Promise<number> {
  const rows: Row[] = await knex('webhook_endpoints').whereNotNull('disabled_reason').count({ number: '*' });
  return int(rows[0]?.number ?? 0);
}
