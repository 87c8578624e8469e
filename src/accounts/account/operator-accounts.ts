/** Accounts as the operator's members manage them: what the command line can do, with a row in the audit log. */
import type { Knex } from 'knex';
import type { ConsoleMember } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import { formatUsd } from '#base/money.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { type Row, text } from '#storage/database/values.ts';
import { accountFrom } from '#storage/records/account.ts';
import { changeLogger } from '../change-log.ts';
import { type Movement, Transfers } from '../ledger/transfers.ts';
import { Accounts } from './account-store.ts';
import type { AccountPage, OperatorAccounts } from './operator-ports.ts';

/** How many accounts one page of a search by name looks through: a few milliseconds. There is no index by name. */
const SEARCHED_MAX = 2_000;

/** The operator's accounts over a database. */
export function createOperatorAccounts(options: OperatorOptions): OperatorAccounts {
  const { knex } = options.db;
  const accounts = new Accounts(options);
  const transfers = new Transfers(options);
  const changes = changeLogger(options);
  const noted =
    (member: ConsoleMember, what: string) =>
    async (trx: Knex.Transaction, before: Account | null, after: Account): Promise<void> => {
      const change = { before: before && shown(before), after: shown(after) };
      if (JSON.stringify(change.before) === JSON.stringify(change.after)) return;
      await changes.log(trx, member, { what, subject: after.id, accountId: after.id, ...change });
    };

  return {
    async list(search, { limit, after }) {
      if (search !== null) return found(knex, search, { limit, after });
      const rows = await accounts.list({ limit: limit + 1, after });
      const page = rows.slice(0, limit);
      return { accounts: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    show: (id) => accounts.show(id),

    create: (member, settings) => accounts.create(settings, noted(member, 'account.create')),

    setStatus: (member, id, status) =>
      status === 'suspended'
        ? accounts.suspend(id, noted(member, 'account.suspend'))
        : accounts.resume(id, noted(member, 'account.resume')),

    async move(member, { kind, accountId, amount, orderId, force, ...details }) {
      const movement: Movement = {
        ...details,
        async noting(trx, { entry, balance }) {
          const [was, is] = [balance - entry.amount, balance].map((usd) => ({ balance_usd: formatUsd(usd) }));
          const after = { ...is, amount_usd: formatUsd(entry.amount), order_id: entry.orderId, reason: entry.reason };
          const what = kind === 'top_up' ? 'account.credit' : 'account.refund';
          await changes.log(trx, member, { what, subject: entry.id, accountId, before: was ?? null, after });
        },
      };
      const { entry, balance, repeated } =
        kind === 'top_up'
          ? await transfers.credit(accountId, amount, { ...movement, ...(force === undefined ? {} : { force }) })
          : await transfers.refund(accountId, amount, { ...movement, ...(orderId === undefined ? {} : { orderId }) });
      return { entryId: entry.id, kind, amount: entry.amount, orderId: entry.orderId, balance, repeated };
    },
  };
}

function shown({ name, status }: Account): object {
  return { name, status };
}

async function found(
  knex: Knex,
  search: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<AccountPage> {
  const named: Row[] = await knex('accounts')
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(SEARCHED_MAX)
    .select('id', 'name');
  const wanted = search.toLowerCase();
  const matching = named.filter((row) => text(row.name).toLowerCase().includes(wanted)).map((row) => text(row.id));
  const ids = matching.slice(0, limit);
  // The first page also has those that are found by index, wherever they are.
  const exact = after === null ? await exactly(knex, wanted) : [];
  const rows: Row[] = await knex('accounts')
    .whereIn('id', [...exact, ...ids])
    .orderBy('id');
  const last = matching.length > limit ? ids.at(-1) : named.length === SEARCHED_MAX ? named.at(-1)?.id : null;
  return { accounts: rows.map(accountFrom), next: last ? text(last) : null };
}

/** The account with this id, and that of the member with this e-mail. */
async function exactly(knex: Knex, search: string): Promise<string[]> {
  const member: Row | undefined = await knex('members').where({ email: search }).first('account_id');
  return [search, ...(member?.account_id ? [text(member.account_id)] : [])];
}
