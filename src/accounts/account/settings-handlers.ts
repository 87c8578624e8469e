/** The settings of the member's account: what it keeps, its alerts, and the account as a whole. */

import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { isoOrNull } from '#base/time.ts';
import type { AccountHandler } from '#contract/call.ts';
import { accountActorOf, accountIdOf, handlersOf } from '#contract/call.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { AccessStore } from '../keys/access-store.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { AccountBooks } from '../ledger/books.ts';
import { noCookie } from '../members/cookie.ts';
import type { Payments } from '../payments/payments.ts';
import { TopUpStore } from '../payments/top-up-store.ts';
import { exportLines } from './account-export.ts';
import { type BalanceAlert, BalanceAlerts } from './balance-alerts.ts';
import type { MemberStorage, StorageSettings } from './member-storage.ts';
import { keptOf } from './operator-account-handlers.ts';
import { OwnAccount } from './own-account.ts';

/** Each reads the database for as long as its reader takes. */
const EXPORTS_AT_ONCE = 2;

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
      await own.close(by, call.call.body.name);
      authenticator.forget(by.accountId);
      // Nothing charges it any more, whether the provider hears of it or not; what fails is logged there.
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
  let running = 0;
  /** It counts from its first read: a reply that nobody reads is none. */
  async function* bytesOf(accountId: string): AsyncGenerator<Uint8Array> {
    running++;
    try {
      for await (const lines of exportLines(accountId, all))
        yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } finally {
      running--;
    }
  }
  return handlersOf({
    exportAccount(call) {
      if (running >= EXPORTS_AT_ONCE) throw new Fault('rate_limit_error', { retryAfterS: 10 });
      const headers = {
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="sluice-account.jsonl"',
      };
      return { status: 200, headers, length: null, bytes: bytesOf(accountIdOf(call)) };
    },
  });
}

/** getStorage, updateStorage and clearStorage. */
export function storageHandlers({
  memberStorage,
  storedBytesMax,
  authenticator,
}: {
  readonly memberStorage: MemberStorage;
  /** How many bytes an account may keep. */
  readonly storedBytesMax: number;
  readonly authenticator: Pick<Authenticator, 'forget'>;
}) {
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
        throw new Fault('invalid_request', { param: 'below_usd', message: 'below_usd takes at most nine decimals.' });
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
