/** The messages that are due, and endpoints that are given up. */
import type { Clock } from '#base/clock.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import type { DueMessage, OutboxStore, Receiver } from './ports.ts';
import { refreshWants } from './wants.ts';

/** The outbox of a database. */
export function createOutboxStore({ db, clock }: { readonly db: Database; readonly clock: Clock }): OutboxStore {
  const { knex } = db;
  const dueRows = db.dialect.by('webhook_messages', 'webhook_messages_due');
  return {
    /** One probe of an index for each endpoint, however much some of them are owed. */
    dueEndpoints: (nowMs) =>
      knex('webhook_endpoints')
        .where({ enabled: 1 })
        .whereExists(
          knex
            .from(knex.raw(dueRows))
            .whereRaw('webhook_messages.endpoint_id = webhook_endpoints.id')
            .where('next_at_ms', '<=', nowMs)
            .select(knex.raw('1')),
        )
        .pluck('id'),

    async due(endpointId, nowMs, limit) {
      const row: Row | undefined = await knex('webhook_endpoints').where({ id: endpointId, enabled: 1 }).first();
      if (!row) return null;
      const rows: Row[] = await knex
        .select('seq', 'event_id', 'type', 'body', 'attempts', 'first_at_ms')
        .from(knex.raw(dueRows))
        .where({ endpoint_id: endpointId })
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
      return { receiver: receiverFrom(row, nowMs), messages: rows.map(messageFrom) };
    },

    async owesMore(endpointId, than) {
      const owed = knex.from(knex.raw(dueRows)).where({ endpoint_id: endpointId }).whereNotNull('next_at_ms');
      return (await owed.orderBy('next_at_ms').offset(than).limit(1).select('seq')).length > 0;
    },

    disable: ({ id, accountId }, reason) =>
      writing(db, async (trx) => {
        // As whoever changes an endpoint: otherwise one that is made meanwhile is overlooked in what the account wants.
        if (accountId === '') await takeTurn(trx, 'webhooks');
        else await lockAccount(trx, accountId);
        const off = { enabled: 0, disabled_reason: reason, disabled_at_ms: clock.nowMs() };
        await trx('webhook_endpoints').where({ id, enabled: 1 }).update(off);
        await refreshWants(trx, accountId);
      }),
  };
}

function receiverFrom(row: Row, nowMs: number): Receiver {
  const until = intOrNull(row.previous_until_ms);
  const previous = until !== null && until > nowMs ? [text(row.previous_secret)] : [];
  return {
    id: text(row.id),
    accountId: text(row.account_id),
    url: text(row.url),
    secrets: [text(row.secret), ...previous],
  };
}

const { from: messageFrom } = codec<DueMessage>({
  seq: int,
  eventId: text,
  type: text,
  body: text,
  attempts: int,
  firstAtMs: intOrNull,
});

/** How many endpoints were given up and are not on again. */
export async function countDisabled({ knex }: Database): Promise<number> {
  const rows: Row[] = await knex('webhook_endpoints').whereNotNull('disabled_reason').count({ number: '*' });
  return int(rows[0]?.number ?? 0);
}
