/** Public links to receipts: everybody with its token reads the receipt of one order, until the account revokes it. */
import type { AccountActor } from '#access/member.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';
import { isSecret, newSecret } from '../members/secrets.ts';

/** The link of an order. */
export interface ReceiptLink {
  readonly token: string;
  readonly orderId: string;
  readonly accountId: string;
  readonly createdAtMs: number;
}

const { from: linkFrom, some: linkColumns } = codec<ReceiptLink>({
  token: text,
  orderId: text,
  accountId: text,
  createdAtMs: int,
});

/** Makes, shows and revokes them. The caller has checked that the order is one of the account, and has a receipt. */
export class ReceiptLinks extends LoggedStore {
  /** The link of an order, which is made if there is none. */
  share(orderId: string, by: AccountActor): Promise<ReceiptLink> {
    return writing(this.parts.db, async (trx) => {
      // Two requests at once must get one link.
      await lockAccount(trx, by.accountId);
      const row: Row | undefined = await trx('receipt_links').where({ order_id: orderId }).first();
      if (row) return linkFrom(row);
      const { accountId } = by;
      const link = { token: newSecret(), orderId, accountId, createdAtMs: this.parts.clock.nowMs() };
      await trx('receipt_links').insert(linkColumns(link));
      await this.changes.log(trx, by, { what: 'receipt.share', subject: orderId, before: null, after: {} });
      return link;
    });
  }

  /** From now on the token of the order is unknown. Without a link nothing changes. */
  revoke(orderId: string, by: AccountActor): Promise<void> {
    return writing(this.parts.db, async (trx) => {
      const gone = await trx('receipt_links').where({ order_id: orderId, account_id: by.accountId }).delete();
      if (gone > 0)
        await this.changes.log(trx, by, { what: 'receipt.revoke', subject: orderId, before: {}, after: null });
    });
  }

  /** The link of an order; null for none. */
  async of(orderId: string): Promise<ReceiptLink | null> {
    const row: Row | undefined = await this.parts.db.knex('receipt_links').where({ order_id: orderId }).first();
    return row ? linkFrom(row) : null;
  }
}

/** The order and account that a token opens; null for one that is malformed, unknown or revoked. */
export async function sharedReceipt({ knex }: Database, token: string): Promise<ReceiptLink | null> {
  if (!isSecret(token)) return null;
  const row: Row | undefined = await knex('receipt_links').where({ token }).first();
  return row ? linkFrom(row) : null;
}
