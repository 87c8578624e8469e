/** The keys of an account as its members manage them: each change has its row in the audit log. */
import type { Knex } from 'knex';
import type { AccountChange } from '#access/member.ts';
import type { ApiKey } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { formatPrice, formatUsd } from '#base/money.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { int, type Row, text } from '#storage/database/values.ts';
import { changeLogger } from '../change-log.ts';
import type { MemberKeys, UsedKey } from '../members/ports.ts';
import { type KeyOfAccount, Keys } from './key-store.ts';

/** How many of an account's last orders say when a key was used: there is no index by key, which every order would pay. */
const ORDERS_READ = 1000;
const NOTHING = { today: 0n, month: 0n };

/** The keys over a database; an account may have `activeMax` active ones. */
export function createMemberKeys(options: OperatorOptions & { readonly activeMax: () => number }): MemberKeys {
  const { knex } = options.db;
  const keys = new Keys(options);
  const changes = changeLogger(options);

  return {
    get activeMax() {
      return options.activeMax();
    },

    async list(accountId) {
      const [active, used, spent] = await Promise.all([
        keys.list(accountId),
        lastUses(knex, accountId),
        keys.spent(accountId),
      ]);
      return active
        .filter(({ revokedAtMs }) => revokedAtMs === null)
        .map((key): UsedKey => ({ key, lastUsedAtMs: used.get(key.id) ?? null, spent: spent.get(key.id) ?? NOTHING }));
    },

    async create({ member, accountId }, settings) {
      return keys.create(accountId, {
        ...settings,
        activeMax: options.activeMax(),
        async noting(trx, key) {
          const row: Row | undefined = await trx('accounts').where({ id: accountId }).first('status');
          if (row?.status !== 'active') throw new Fault('account_suspended');
          await changes.log(trx, member, {
            what: 'key.create',
            subject: key.id,
            accountId,
            before: null,
            after: shown(key),
          });
        },
      });
    },

    async update(by, id, settings) {
      await keys.updateOf({ ...of(by, id), noting: noting(by, 'key.update') }, settings);
    },

    async rotate(by, id, overlapMs) {
      return keys.rotateOf({ ...of(by, id), noting: noting(by, 'key.rotate') }, overlapMs);
    },

    async revoke(by, id) {
      await keys.revokeOf({
        ...of(by, id),
        noting: (trx, key) =>
          changes.log(trx, by.member, {
            ...{ what: 'key.revoke', subject: id, accountId: by.accountId },
            ...{ before: shown(key), after: null },
          }),
      });
    },
  };

  function noting({ member }: AccountChange, what: string): KeyOfAccount['noting'] {
    return (trx, key, before) =>
      changes.log(trx, member, { what, subject: key.id, before: before && shown(before), after: shown(key) });
  }
}

function of({ accountId }: AccountChange, id: string) {
  return { accountId, id };
}

/** What the log says of a key. */
function shown({ name, hint, budget, models, priceLimits, expiresAtMs, previousUntilMs }: ApiKey): object {
  return {
    name,
    hint,
    budget_usd: budget && formatUsd(budget.amount ?? 0n),
    budget_reset: budget?.reset ?? null,
    expires_at: isoOrNull(expiresAtMs),
    models,
    price_limits: Object.fromEntries(
      Object.entries(priceLimits).map(([model, price]): [string, string] => [model, formatPrice(price)]),
    ),
    previous_until: isoOrNull(previousUntilMs),
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** When each key placed the last of the account's newest orders, by the id of the key. */
async function lastUses(knex: Knex, accountId: string): Promise<ReadonlyMap<string, number>> {
  const recent = knex('orders')
    .where({ account_id: accountId })
    .orderBy([
      { column: 'created_at_ms', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(ORDERS_READ)
    .select('key_id', 'created_at_ms')
    .as('recent');
  const rows: Row[] = await knex(recent).whereNotNull('key_id').groupBy('key_id').select('key_id').max({
    used_at_ms: 'created_at_ms',
  });
  return new Map(rows.map((row) => [text(row.key_id), int(row.used_at_ms)]));
}
