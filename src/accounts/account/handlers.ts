/** The settings of the member's account, and all accounts for members of the operator: found, opened, suspended, paid. */
import type { Account } from '#access/principal.ts';
import { FairShare } from '#base/fair-share.ts';
import { invalidRequest } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd, parseUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { type AccountHandler, accountActorOf, accountIdOf, handlersOf } from '#contract/call.ts';
import { decodeCursor, encodeCursor } from '#contract/cursor-page.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import type { AccessStore } from '../keys/key-lookup.ts';
import { AccountBooks } from '../ledger/books.ts';
import { type Moved, Transfers } from '../ledger/transfers.ts';
import { noCookie } from '../members/cookie.ts';
import type { Payments } from '../payments/payments.ts';
import { TopUpStore } from '../payments/top-up-store.ts';
import { exportLines } from './account-export.ts';
import { Accounts } from './account-store.ts';
import { type BalanceAlert, BalanceAlerts } from './balance-alerts.ts';
import type { MemberStorage, StorageSettings } from './member-storage.ts';
import { OwnAccount } from './own-account.ts';

/** Each reads the database for as long as its reader takes. */
const EXPORTS_AT_ONCE = 8;
const EXPORTS_PER_ACCOUNT = 1;
const BUSY = {
  message: 'An export of this account is being read, or too many others are. Try again.',
  retryAfterS: 10,
};

/** suspendKeys, resumeKeys and closeAccount. */
export function ownAccountHandlers(
  database: OperatorOptions,
  {
    authenticator,
    payments,
  }: { readonly authenticator: Pick<Authenticator, 'forget'>; readonly payments: Payments | null },
) {
  const own = new OwnAccount(database);
  const topUps = new TopUpStore(database);
  const changed = ({ id, name, status }: Pick<Account, 'id' | 'name' | 'status'>) => {
    authenticator.forget(id);
    return { status: 200 as const, json: { object: 'account', account_id: id, name, status } };
  };
  return handlersOf({
    suspendKeys: async (call) => changed(await own.pause(accountActorOf(call), true)),

    resumeKeys: async (call) => changed(await own.pause(accountActorOf(call), false)),

    async closeAccount(call) {
      const by = accountActorOf(call);
      const { card } = await topUps.find(by.accountId);
      await own.close(by.accountId, call.call.body.name, by);
      authenticator.forget(by.accountId);
      // Nothing charges the card any more, whether the provider learns of it or not; failures are logged there.
      if (card) await payments?.forget(card).catch(() => {});
      return { status: 204, headers: { 'set-cookie': noCookie(call.secure) } };
    },
  });
}

/** exportAccount. */
export function exportHandlers(
  database: OperatorOptions,
  sources: {
    readonly access: Pick<AccessStore, 'account'>;
    /** The handler of `GET /v1/orders`. */
    readonly listOrders: AccountHandler<'listOrders'>;
  },
) {
  const all = { ...sources, knex: database.db.knex, books: new AccountBooks(database) };
  const running = new FairShare(EXPORTS_AT_ONCE, EXPORTS_PER_ACCOUNT);
  async function* bytesOf(accountId: string): AsyncGenerator<Uint8Array> {
    for await (const lines of exportLines(accountId, all))
      yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  return handlersOf({
    exportAccount(call) {
      const accountId = accountIdOf(call);
      const headers = {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="sluice-account.jsonl"',
      };
      return { status: 200, headers, length: null, bytes: running.during(accountId, bytesOf(accountId), BUSY) };
    },
  });
}

/** getStorage, updateStorage and clearStorage. */
export function storageHandlers(options: {
  readonly memberStorage: MemberStorage;
  /** How many bytes an account may keep. */
  readonly storedBytesMax: number;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}) {
  const { memberStorage, storedBytesMax, authenticator } = options;
  const reply = ({ retentionDays, logPayloads, storedBytes }: StorageSettings) => ({
    status: 200 as const,
    json: {
      object: 'storage',
      retention_days: retentionDays,
      log_payloads: logPayloads,
      stored_bytes: storedBytes,
      stored_bytes_max: storedBytesMax,
    },
  });
  return handlersOf({
    async getStorage(call) {
      return reply(await memberStorage.of(accountIdOf(call)));
    },

    async updateStorage(call) {
      const by = accountActorOf(call);
      const changed = await memberStorage.change(by, keptOf(call.call.body));
      authenticator.forget(by.accountId);
      return reply(changed);
    },

    async clearStorage(call) {
      const cleared = await memberStorage.clear(accountActorOf(call));
      return { status: 200, json: { object: 'cleared', ...cleared } };
    },
  });
}

/** listAlerts and setAlerts. */
export function alertsHandlers(database: OperatorOptions) {
  const alerts = new BalanceAlerts(database);
  return handlersOf({
    async listAlerts(call) {
      return { status: 200, json: alertList(await alerts.list(accountIdOf(call))) };
    },

    async setAlerts(call) {
      const { below_usd } = call.call.body;
      const below = below_usd.map((usd) => {
        const amount = parseUsd(String(usd));
        if (amount !== null) return amount;
        throw invalidRequest('below_usd', 'below_usd takes at most nine decimals.');
      });
      return { status: 200, json: alertList(await alerts.set(accountActorOf(call), below)) };
    },
  });
}

function alertList(alerts: readonly BalanceAlert[]) {
  const data = alerts.map(({ below, crossedAtMs }) => ({
    object: 'alert',
    below_usd: nanoToUsd(below),
    crossed_at: isoOrNull(crossedAtMs),
  }));
  return { object: 'list', data };
}

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

/** creditAccount, refundAccount and debitAccount. */
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

    async debitAccount({ call: { params, body }, signedIn }) {
      const amount = amountOf(body.amount_usd);
      return transferReply(await transfers.debit(params.id, amount, detailsOf(body), signedIn.member));
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
  throw invalidRequest('amount_usd', message);
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
function keptOf({ retention_days: retentionDays, log_payloads: logPayloads }: Partial<Schemas['NewAccount']>) {
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
