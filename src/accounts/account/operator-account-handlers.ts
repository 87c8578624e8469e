/** Accounts: found, opened, suspended, and their money moved, with what the command line uses. */

import type { Account } from '#access/principal.ts';
import { encodeCursor } from '#base/cursor.ts';
import { invalidRequest } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd, parseUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import type { MemberCall } from '#contract/console.ts';
import { idBefore } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { components } from '#generated/console-api/types.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { MovedMoney, OperatorAccounts } from './operator-ports.ts';

/** What these handlers need. */
export interface OperatorAccountsOptions {
  readonly operatorAccounts: OperatorAccounts;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}

type Schemas = components['schemas'];

/** listAccounts and showAccount. */
export function accountViewHandlers(options: OperatorAccountsOptions): HandlersFor<'listAccounts' | 'showAccount'> {
  const { operatorAccounts } = options;
  return {
    async listAccounts({ call: { query } }) {
      const { search, limit } = query;
      const scope = `accounts ${JSON.stringify(search)}`;
      const { accounts, next } = await operatorAccounts.list(search, { limit, after: idBefore(scope, query.cursor) });
      const more = { has_more: next !== null, next_cursor: next === null ? null : encodeCursor(scope, [next]) };
      return { status: 200, json: { object: 'list', data: accounts.map(accountObject), ...more } };
    },

    async showAccount({ call }) {
      return { status: 200, json: accountObject(await operatorAccounts.show(call.params.id)) };
    },
  };
}

/** createAccount, suspendAccount and resumeAccount. */
export function accountChangeHandlers({
  operatorAccounts,
  authenticator,
}: OperatorAccountsOptions): HandlersFor<'createAccount' | 'suspendAccount' | 'resumeAccount'> {
  const changed = async (
    { call, signedIn }: MemberCall<'suspendAccount' | 'resumeAccount'>,
    status: 'suspended' | 'active',
  ) => {
    const account = await operatorAccounts.setStatus(signedIn.member, call.params.id, status);
    authenticator.forget(account.id);
    return { status: 200 as const, json: accountObject(account) };
  };
  return {
    async createAccount({ call, signedIn }) {
      const { name, retention_days: retentionDays, log_payloads: logPayloads } = call.body;
      const settings = {
        name,
        ...(retentionDays === undefined ? {} : { retentionDays }),
        ...(logPayloads === undefined ? {} : { logPayloads }),
      };
      return { status: 201, json: accountObject(await operatorAccounts.create(signedIn.member, settings)) };
    },

    suspendAccount: (call) => changed(call, 'suspended'),

    resumeAccount: (call) => changed(call, 'active'),
  };
}

/** creditAccount and refundAccount. */
export function transferHandlers(options: OperatorAccountsOptions): HandlersFor<'creditAccount' | 'refundAccount'> {
  const { operatorAccounts } = options;
  return {
    async creditAccount({ call, signedIn }) {
      const { force, ...body } = call.body;
      const transfer = { kind: 'top_up', ...transferOf(call.params.id, body), ...(force ? { force } : {}) } as const;
      return moved(transfer.accountId, await operatorAccounts.move(signedIn.member, transfer));
    },

    async refundAccount({ call, signedIn }) {
      const { order_id: order, ...body } = call.body;
      const orderId = order?.toLowerCase();
      const wanted = { kind: 'refund', ...transferOf(call.params.id, body) } as const;
      const transfer = { ...wanted, ...(orderId === undefined ? {} : { orderId }) };
      return moved(transfer.accountId, await operatorAccounts.move(signedIn.member, transfer));
    },
  };
}

function transferOf(accountId: string, body: Pick<Schemas['NewTopUp'], 'amount_usd' | 'idempotency_key' | 'reason'>) {
  const { amount_usd, idempotency_key: idempotencyKey, reason } = body;
  const details = { idempotencyKey, ...(reason === undefined ? {} : { reason }) };
  return { accountId, amount: amountOf(amount_usd), ...details };
}

/** Money is read from text: a JSON number has no exact nano-dollars. */
function amountOf(usd: string): NanoUsd {
  const amount = parseUsd(usd);
  if (amount !== null && amount > 0n) return amount;
  throw invalidRequest(
    'amount_usd',
    'amount_usd takes USD above 0 with at most nine decimals, such as "25" or "12.50".',
  );
}

function moved(accountId: string, { entryId, kind, amount, orderId, balance, repeated }: MovedMoney) {
  const json = {
    object: 'transfer',
    entry_id: entryId,
    account_id: accountId,
    kind,
    amount_usd: nanoToUsd(amount),
    order_id: orderId,
    balance_usd: nanoToUsd(balance),
    repeated,
  };
  return { status: 200 as const, json };
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
