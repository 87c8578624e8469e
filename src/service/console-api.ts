/**
 * Builds the settings and the console: the stores behind them and a handler for every operation of openapi/console.yaml.
 * Only `console.ts` imports this file, when the first request asks for it.
 */
import { readFileSync } from 'node:fs';
import { ConsoleRates } from '#access/console-rates.ts';
import { createAccountExport } from '#accounts/account/account-export.ts';
import { alertsHandlers } from '#accounts/account/alert-handlers.ts';
import { createBalanceAlerts } from '#accounts/account/balance-alerts.ts';
import { entriesHandlers } from '#accounts/account/entry-handlers.ts';
import { createMemberStorage } from '#accounts/account/member-storage.ts';
import {
  accountChangeHandlers,
  accountViewHandlers,
  transferHandlers,
} from '#accounts/account/operator-account-handlers.ts';
import { createOperatorAccounts } from '#accounts/account/operator-accounts.ts';
import { createOwnAccount } from '#accounts/account/own-account.ts';
import { ownAccountHandlers } from '#accounts/account/own-account-handlers.ts';
import { accountPeopleHandlers } from '#accounts/account/people-handlers.ts';
import { storageHandlers } from '#accounts/account/storage-handlers.ts';
import { createUsageDays } from '#accounts/account/usage-days.ts';
import { createChangeNotes, newestChanges } from '#accounts/change-log.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import { keysHandlers } from '#accounts/keys/handlers.ts';
import { createMemberKeys } from '#accounts/keys/member-keys.ts';
import { createAllTransfers } from '#accounts/ledger/all-transfers.ts';
import { createAccountBooks } from '#accounts/ledger/books.ts';
import { ledgerHandlers } from '#accounts/ledger/handlers.ts';
import { createAttemptStore } from '#accounts/members/attempt-store.ts';
import { Attempts } from '#accounts/members/attempts.ts';
import { Identities } from '#accounts/members/identities.ts';
import { openIdProvider } from '#accounts/members/identity-provider.ts';
import { createIdentityStore } from '#accounts/members/identity-store.ts';
import { membersHandlers } from '#accounts/members/member-handlers.ts';
import { Members } from '#accounts/members/member-store.ts';
import { passkeyHandlers } from '#accounts/members/passkey-handlers.ts';
import { createPasskeyStore } from '#accounts/members/passkey-store.ts';
import { Passkeys } from '#accounts/members/passkeys.ts';
import { providerHandlers } from '#accounts/members/provider-handlers.ts';
import { createSessionStore } from '#accounts/members/session-store.ts';
import { Sessions } from '#accounts/members/sessions.ts';
import { signInHandlers } from '#accounts/members/sign-in-handlers.ts';
import { paymentsHandlers } from '#accounts/payments/payment-handlers.ts';
import { createPaymentStore } from '#accounts/payments/payment-store.ts';
import { topUpHandlers } from '#accounts/payments/top-up-handlers.ts';
import { createTopUpStore } from '#accounts/payments/top-up-store.ts';
import { createEndpointStore, ENDPOINTS_MAX } from '#accounts/webhooks/endpoint-store.ts';
import { webhooksHandlers } from '#accounts/webhooks/handlers.ts';
import { newSigningSecret } from '#accounts/webhooks/signature.ts';
import { loadConfig } from '#config/config.ts';
import type { MemberHandler } from '#contract/console.ts';
import { type HandlerFor, type HandlersFor, withQueries } from '#contract/handlers.ts';
import type { ConsoleId } from '#contract/operation.ts';
import type { JsonOf, Rendered } from '#contract/reply.ts';
import { queries } from '#generated/console-api/queries.ts';
import type { ActivityOptions } from '#handlers/activity.ts';
import { activityHandlers } from '#handlers/activity.ts';
import { createConsole } from '#http/console/api.ts';
import { signInFiles } from '#http/console/sign-in-page.ts';
import type { RequestContext } from '#http/request-context.ts';
import type { Traffic } from '#http/traffic.ts';
import { auditHandlers, moneyHandlers } from '#operator/audit-handlers.ts';
import { bookHandlers } from '#operator/book.ts';
import { auditLogHandlers } from '#operator/change-handlers.ts';
import { configurationHandlers } from '#operator/configuration-handlers.ts';
import { soldOrdersHandlers } from '#operator/order-handlers.ts';
import { overviewHandlers } from '#operator/overview.ts';
import { podsHandlers } from '#operator/pod-handlers.ts';
import { reloadHandlers } from '#operator/reload-handlers.ts';
import { whatIfHandlers } from '#operator/what-if.ts';
import { WhatIfThread } from '#operator/what-if-thread.ts';
import { createOperatorOrders } from '#storage/orders/operator-orders.ts';
import { findRequestLog } from '#storage/orders/request-logs.ts';
import { createTokenStore } from '#storage/statistics/model-tokens.ts';
import { fileState, shownSettings } from './configuration.ts';
import type { Parts } from './parts.ts';

/** The parts of a gateway that these routes use. */
export interface ConsoleParts
  extends Pick<Parts, 'outside' | 'storage' | 'market' | 'orders' | 'payments' | 'audits' | 'reload'> {
  readonly traffic: Traffic;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  /** The handlers of /v1. */
  readonly calls: ActivityOptions['calls'];
}

/** Builds it; what is returned answers one request and never rejects. */
export function buildConsole(parts: ConsoleParts): (context: RequestContext) => Promise<void> {
  const { outside, storage, traffic } = parts;
  const { config, log } = outside;
  const stores = storesOf(parts);
  const signIn = signInOf(parts);
  const handlers: HandlersFor<ConsoleId> = {
    ...memberHandlersOf(parts, stores, signIn),
    ...moneyHandlersOf(parts, stores),
    ...operatorHandlersOf(parts, stores),
    getConsoleOpenapi: documentHandler(),
  };
  return createConsole({
    handlers: withQueries(handlers, queries, ({ call }: Parameters<MemberHandler>[0]) => call),
    sessions: signIn.sessions,
    rates: signIn.rates,
    signInFile: signInFiles(config.console.oidc?.name ?? null),
    insecure: config.console.insecure,
    limits: config.limits,
    traffic,
    log,
    isOutage: (error) => storage.db.dialect.isTransient(error),
  });
}

type Stores = ReturnType<typeof storesOf>;
type SignIn = ReturnType<typeof signInOf>;

/** What several subjects use. */
function storesOf({ outside, storage }: ConsoleParts) {
  const { config, clock, ids } = outside;
  const database = { db: storage.db, clock, ids };
  return {
    database,
    books: createAccountBooks(database),
    changeNotes: createChangeNotes(database),
    keys: createMemberKeys({ ...database, activeMax: () => config.limits.activeKeysPerAccount }),
    members: new Members(database),
    operatorAccounts: createOperatorAccounts(database),
    operatorOrders: createOperatorOrders(storage.db),
    memberTopUps: createTopUpStore(database),
  };
}

/** The ways to sign in. */
function signInOf({ outside, storage }: ConsoleParts) {
  const { config, clock, ids } = outside;
  const database = { db: storage.db, clock, ids };
  const sessions = new Sessions({ store: createSessionStore(database), clock, ids });
  const attempts = new Attempts({ store: createAttemptStore(database), clock });
  const { oidc } = config.console;
  return {
    sessions,
    rates: new ConsoleRates(clock),
    passkeys: new Passkeys({ store: createPasskeyStore(database), attempts, sessions, clock, ids }),
    identities:
      oidc === null
        ? null
        : new Identities({ provider: openIdProvider(oidc), store: createIdentityStore(database), attempts, sessions }),
  };
}

/** What members do about themselves, their keys and their orders. */
function memberHandlersOf(parts: ConsoleParts, stores: Stores, signIn: SignIn) {
  const { outside, storage, orders, authenticator, calls } = parts;
  const { config, clock } = outside;
  const { listings, limits } = config;
  const { access } = storage;
  const { database, keys, members } = stores;
  const { sessions, passkeys, identities, rates } = signIn;
  const session = { access, passkeys };
  return {
    ...signInHandlers({ ...session, sessions, rates }),
    ...passkeyHandlers(session),
    ...providerHandlers({ ...session, identities }),
    ...keysHandlers({ keys, authenticator, listings, clock }),
    ...membersHandlers({ members }),
    ...activityHandlers({
      access,
      calls,
      operatorOrders: stores.operatorOrders,
      usageDays: createUsageDays(storage.db),
      changeNotes: stores.changeNotes,
      clock,
    }),
    ...storageHandlers({
      memberStorage: createMemberStorage({ ...database, ...orders.retained }),
      storedBytesMax: limits.storedBytesPerAccount,
      authenticator,
    }),
    ...webhooksHandlers({
      webhookEndpoints: createEndpointStore({ ...database, newSecret: newSigningSecret }),
      webhooksMax: ENDPOINTS_MAX,
      webhooksAllowed: config.webhooks.allow,
      listings,
    }),
  };
}

/** What members do about the money of their account. */
function moneyHandlersOf({ outside, storage, payments, authenticator, calls }: ConsoleParts, stores: Stores) {
  const { clock, log } = outside;
  const { access, db } = storage;
  const { database, books, memberTopUps } = stores;
  return {
    ...paymentsHandlers({ access, payments, paymentStore: createPaymentStore(database), memberTopUps }),
    ...ledgerHandlers({ books, clock }),
    ...topUpHandlers({ memberTopUps, payments }),
    ...alertsHandlers({ balanceAlerts: createBalanceAlerts(database) }),
    ...ownAccountHandlers({
      ownAccount: createOwnAccount(database),
      accountExport: createAccountExport(db),
      access,
      books,
      calls,
      memberTopUps,
      payments,
      authenticator,
      log,
    }),
  };
}

/** What members of the operator do. */
function operatorHandlersOf(parts: ConsoleParts, stores: Stores) {
  const { outside, storage, market, orders, audits, reload, authenticator, calls } = parts;
  const { config, readConfig = loadConfig, clock } = outside;
  const { listings } = config;
  const { db, startedAtMs, journal, disk, counts } = storage;
  const { books, changeNotes, keys, members, operatorAccounts, operatorOrders } = stores;
  const { pods, podControl, ready, orderService } = orders;
  const { board } = market;
  const tokens = createTokenStore(db);
  const version = ownVersion();
  const thread = new WhatIfThread();
  const accountParts = { operatorAccounts, authenticator };
  const settings = {
    fileName: config.fileName,
    settings: () => shownSettings(config),
    file: () => fileState(config, readConfig),
  };
  return {
    ...podsHandlers({ pods, podControl, changeNotes }),
    ...accountViewHandlers(accountParts),
    ...accountChangeHandlers(accountParts),
    ...transferHandlers(accountParts),
    ...accountPeopleHandlers({ operatorAccounts, keys, members, authenticator, clock }),
    ...entriesHandlers({ operatorAccounts, accountBooks: books, transfers: createAllTransfers(db) }),
    ...soldOrdersHandlers({
      operatorAccounts,
      operatorOrders,
      calls,
      requests: { find: (orderId: string) => findRequestLog(db, orderId, clock.nowMs()) },
      changeNotes,
    }),
    ...auditLogHandlers({ auditLog: { list: (accountId, page) => newestChanges(db, { accountId, ...page }) } }),
    ...auditHandlers({ audits }),
    ...moneyHandlers({ audits }),
    ...configurationHandlers({ configuration: settings, version, startedAtMs, clock }),
    ...reloadHandlers({ reload, changeNotes }),
    ...overviewHandlers({
      version,
      startedAtMs,
      listings,
      board,
      ready,
      tokens,
      orderService,
      counts,
      pods,
      journal,
      disk,
      clock,
    }),
    ...bookHandlers({ listings, books: market.books }),
    ...whatIfHandlers({
      listings,
      books: market.books,
      market: config.market,
      play: (question) => thread.play(question),
    }),
  };
}

function documentHandler(): HandlerFor<'getConsoleOpenapi'> {
  const raw: Uint8Array = readFileSync(new URL('../../generated/console-api/openapi.json', import.meta.url));
  const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
  return () => ({ status: 200, headers, raw: raw as Rendered<JsonOf<'getConsoleOpenapi'>> });
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
