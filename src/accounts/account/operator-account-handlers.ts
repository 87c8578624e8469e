/** All accounts, for members of the operator: found, opened and suspended, and their money moved. */

import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd, parseUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import { decodeCursor, encodeCursor } from '#contract/cursor-page.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { type Moved, Transfers } from '../ledger/transfers.ts';
import { Accounts } from './account-store.ts';

type Schemas = components['schemas'];

/** listAccounts, showAccount, createAccount, suspendAccount and resumeAccount. */
export function allAccountsHandlers(database: OperatorOptions, authenticator: Pick<Authenticator, 'forget'>) {
  const store = new Accounts(database);
  const changed = (account: Account) => {
    authenticator.forget(account.id);
    return { status: 200 as const, json: accountObject(account) };
  };
  return handlersOf({
    async listAccounts({ call: { query } }) {
      const { search, limit, cursor } = query;
      const scope = `accounts ${JSON.stringify(search)}`;
      const after = cursor === null ? null : String(decodeCursor(scope, cursor)[0]);
      const { accounts, next } = await store.page(search, { limit, after });
      const json = {
        object: 'list',
        data: accounts.map(accountObject),
        has_more: next !== null,
        next_cursor: next === null ? null : encodeCursor(scope, [next]),
      };
      return { status: 200, json };
    },

    async showAccount({ call }) {
      return { status: 200, json: accountObject(await store.show(call.params.id)) };
    },

    async createAccount({ call, signedIn }) {
      const settings = { name: call.body.name, ...keptOf(call.body) };
      return { status: 201, json: accountObject(await store.create(settings, signedIn.member)) };
    },

    suspendAccount: async ({ call, signedIn }) => changed(await store.suspend(call.params.id, signedIn.member)),

    resumeAccount: async ({ call, signedIn }) => changed(await store.resume(call.params.id, signedIn.member)),
  });
}

/** creditAccount and refundAccount. */
export function transferHandlers(database: OperatorOptions) {
  const transfers = new Transfers(database);
  return handlersOf({
    async creditAccount({ call: { params, body }, signedIn }) {
      const details = { ...detailsOf(body), force: body.force ?? false };
      return transferReply(await transfers.credit(params.id, amountOf(body.amount_usd), details, signedIn.member));
    },

    async refundAccount({ call: { params, body }, signedIn }) {
      const orderId = body.order_id?.toLowerCase();
      const details = { ...detailsOf(body), ...(orderId === undefined ? {} : { orderId }) };
      return transferReply(await transfers.refund(params.id, amountOf(body.amount_usd), details, signedIn.member));
    },
  });
}

function detailsOf({
  idempotency_key: idempotencyKey,
  reason,
}: Pick<Schemas['NewTopUp'], 'idempotency_key' | 'reason'>) {
  return { idempotencyKey, ...(reason === undefined ? {} : { reason }) };
}

/** Money is read from text: a JSON number has no exact nano-dollars. */
function amountOf(usd: string): NanoUsd {
  const amount = parseUsd(usd);
  if (amount !== null && amount > 0n) return amount;
  const message = 'amount_usd takes USD above 0 with at most nine decimals, such as "25" or "12.50".';
  throw new Fault('invalid_request', { param: 'amount_usd', message });
}

function transferReply({ entry, balance, repeated }: Moved) {
  const json = {
    object: 'transfer',
    entry_id: entry.id,
    account_id: entry.accountId,
    kind: entry.kind,
    amount_usd: nanoToUsd(entry.amount),
    order_id: entry.orderId,
    balance_usd: nanoToUsd(balance),
    repeated,
  };
  return { status: 200 as const, json };
}

/** What a body says that an account keeps. */
export function keptOf({ retention_days: retentionDays, log_payloads: logPayloads }: Partial<Schemas['NewAccount']>) {
  return {
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(logPayloads === undefined ? {} : { logPayloads }),
  };
}

function accountObject(account: Account) {
  return {
    object: 'account',
    account_id: account.id,
    name: account.name,
    status: account.status,
    balance_usd: nanoToUsd(account.balance),
    held_usd: nanoToUsd(account.held),
    retention_days: account.retentionDays,
    log_payloads: account.logPayloads,
    house: account.house,
    created_at: iso(account.createdAtMs),
  };
}
