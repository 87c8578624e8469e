/**
 * Builds the settings and the console: the stores behind them and a handler for every operation of openapi/console.yaml.
 * Only `http.ts` imports this file, when the first request asks for it.
 */
import { readFileSync } from 'node:fs';
import { ConsoleRates } from '#access/request-rates.ts';
import {
  alertsHandlers,
  allAccountsHandlers,
  exportHandlers,
  ownAccountHandlers,
  storageHandlers,
  transferHandlers,
} from '#accounts/account/handlers.ts';
import { MemberStorage } from '#accounts/account/member-storage.ts';
import { ReceiptLinks } from '#accounts/account/receipt-links.ts';
import { alertRulesHandlers, alertTargetsHandlers } from '#accounts/alerts/handlers.ts';
import { ChangeLog } from '#accounts/change-log.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import { keysHandlers } from '#accounts/keys/handlers.ts';
import { ledgerHandlers } from '#accounts/ledger/handlers.ts';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { Attempts } from '#accounts/members/attempts.ts';
import { Identities } from '#accounts/members/identities.ts';
import { IdentityProvider } from '#accounts/members/identity-provider.ts';
import { membersHandlers } from '#accounts/members/member-handlers.ts';
import { OperatorTokens } from '#accounts/members/operator-tokens.ts';
import { Passkeys } from '#accounts/members/passkeys.ts';
import { Sessions } from '#accounts/members/sessions.ts';
import { passkeyHandlers, providerHandlers, signInHandlers } from '#accounts/members/sign-in-handlers.ts';
import { paymentsHandlers, topUpHandlers } from '#accounts/payments/payment-handlers.ts';
import { webhooksHandlers } from '#accounts/webhooks/handlers.ts';
import { loadConfig } from '#config/config.ts';
import type { HandlerFor, HandlersFor } from '#contract/call.ts';
import type { ConsoleId } from '#contract/operation.ts';
import type { JsonOf, Rendered } from '#contract/reply.ts';
import { type ActivityOptions, activityHandlers } from '#handlers/activity.ts';
import { createConsole, signInFiles } from '#http/console/api.ts';
import type { ReplyDrain } from '#http/drain.ts';
import type { RequestContext } from '#http/request-context.ts';
import { AddedPods } from '#operator/added-pods.ts';
import { auditHandlers, changeHandlers, moneyHandlers } from '#operator/audit-handlers.ts';
import { configurationHandlers, reloadHandlers } from '#operator/configuration-handlers.ts';
import { historyHandlers } from '#operator/history.ts';
import { soldOrdersHandlers } from '#operator/order-handlers.ts';
import { overviewHandlers } from '#operator/overview.ts';
import { podsHandlers } from '#operator/pod-handlers.ts';
import { bookHandlers, whatIfHandlers } from '#operator/what-if.ts';
import { WhatIfThread } from '#operator/what-if-thread.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { findRuns, sumOrders } from '#storage/orders/activity.ts';
import { listSold } from '#storage/orders/sold.ts';
import { findOrderIn, findRequestLog } from '#storage/orders/store.ts';
import { createLoadStore } from '#storage/statistics/gateway-load.ts';
import { createTokenStore } from '#storage/statistics/model-tokens.ts';
import { fileState, settingsInForce } from './configuration.ts';
import { ownVersion } from './own-version.ts';
import type { Parts } from './parts.ts';

/** The parts of a gateway that these routes use. */
export interface ConsoleParts
  extends Pick<Parts, 'outside' | 'storage' | 'market' | 'orders' | 'payments' | 'audits' | 'reload'> {
  readonly drain: ReplyDrain;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  /** The handlers of /v1. */
  readonly calls: ActivityOptions['calls'];
}

/** Builds it; what is returned answers one request and never rejects. */
export function buildConsole(parts: ConsoleParts): (context: RequestContext) => Promise<void> {
  const { outside, storage, drain } = parts;
  const { config, log } = outside;
  const database = { db: storage.db, clock: outside.clock, ids: outside.ids };
  const signIn = signInOf(parts, database);
  const handlers: HandlersFor<ConsoleId> = {
    ...signIn.handlers,
    ...accountHandlersOf(parts, database),
    ...memberHandlersOf(parts, database),
    ...operatorHandlersOf(parts, database),
    getConsoleOpenapi: documentHandler(),
  };
  return createConsole({
    handlers,
    sessions: signIn.sessions,
    tokens: new OperatorTokens(database),
    rates: signIn.rates,
    signInFile: signInFiles(config.console.oidc?.name ?? null),
    insecure: config.console.insecure,
    limits: config.limits,
    drain,
    log,
    isOutage: (error) => storage.db.dialect.isOutage(error),
  });
}

/** The ways to sign in. */
function signInOf({ outside, storage }: ConsoleParts, database: OperatorOptions) {
  const { oidc } = outside.config.console;
  const sessions = new Sessions(database);
  const attempts = new Attempts(database);
  const rates = new ConsoleRates(database.clock);
  const session = { access: storage.access, passkeys: new Passkeys(database, { attempts, sessions }) };
  const identities = oidc && new Identities(database, { provider: new IdentityProvider(oidc), attempts, sessions });
  const handlers = {
    ...signInHandlers(session, { sessions, rates }),
    ...passkeyHandlers(session),
    ...providerHandlers(session, identities),
  };
  return { sessions, rates, handlers };
}

/** What members and the operator do about the people, keys and entries of an account. */
function accountHandlersOf({ outside, storage, authenticator }: ConsoleParts, database: OperatorOptions) {
  const { config } = outside;
  const findAccount = (id: string) => storage.accounts.show(id);
  return {
    ...keysHandlers(database, {
      authenticator,
      findAccount,
      listings: config.listings,
      activeMax: () => config.limits.activeKeysPerAccount,
    }),
    ...membersHandlers(database, { authenticator, findAccount }),
    ...ledgerHandlers(database, findAccount, config.billing),
  };
}

/** What members do about their account and its orders. */
function memberHandlersOf(parts: ConsoleParts, database: OperatorOptions) {
  const { outside, storage, orders, payments, authenticator, calls } = parts;
  const { config, clock } = outside;
  const { access, db } = storage;
  return {
    ...activityHandlers({
      access,
      calls,
      findOrder: findOrderIn(db),
      findRuns: (ids) => findRuns(db, ids),
      findRequest: (orderId) => findRequestLog(db, orderId, clock.nowMs()),
      sumOrders: (asked) => sumOrders(db, asked),
      links: new ReceiptLinks(database),
      listings: config.listings,
      usage: new UsageStore(db),
      changes: new ChangeLog(database),
      clock,
    }),
    ...storageHandlers({
      memberStorage: new MemberStorage(database, orders.retained),
      storedBytesMax: config.limits.storedBytesPerAccount,
      authenticator,
    }),
    ...webhooksHandlers(database, { allow: config.webhooks.allow, listings: config.listings }),
    ...alertRulesHandlers(database, { listings: config.listings }),
    ...alertTargetsHandlers(database, { allow: config.webhooks.allow, mail: config.mail !== null }),
    ...paymentsHandlers(database, { access, payments }),
    ...topUpHandlers(database, payments),
    ...alertsHandlers(database),
    ...ownAccountHandlers(database, { authenticator, payments }),
    ...exportHandlers(database, { access, listOrders: calls.listOrders }),
  };
}

/** What members of the operator do. */
function operatorHandlersOf(parts: ConsoleParts, database: OperatorOptions) {
  const { outside, storage, market, orders, audits, reload, authenticator, calls } = parts;
  const { config, readConfig = loadConfig, clock } = outside;
  const { listings } = config;
  const { db, startedAtMs, journal, disk, counts } = storage;
  const { pods, podControl, ready, orderService } = orders;
  const { board, books } = market;
  const tokens = createTokenStore(db);
  const version = ownVersion();
  const thread = new WhatIfThread();
  const changes = new ChangeLog(database);
  const configuration = {
    fileName: config.fileName,
    settings: () => settingsInForce(config),
    file: () => fileState(config, readConfig),
  };
  return {
    ...podsHandlers({
      ...{ pods, podControl, changes, config, clock },
      added: new AddedPods(database),
      renew: () => reload.renewAdded(),
    }),
    ...allAccountsHandlers(database, authenticator),
    ...transferHandlers(database),
    ...soldOrdersHandlers({
      findAccount: (id) => storage.accounts.show(id),
      findOrder: findOrderIn(db),
      listOrders: calls.listOrders,
      listSold: (filter, page) => listSold(db, filter, page),
      listings,
      requests: { find: (orderId: string) => findRequestLog(db, orderId, clock.nowMs()) },
      changes,
    }),
    ...changeHandlers(db),
    ...auditHandlers(audits),
    ...moneyHandlers(audits),
    ...configurationHandlers({ configuration, version, startedAtMs, clock }),
    ...reloadHandlers({ reload, changes }),
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
    ...historyHandlers({
      ...{ listings, tokens, pods, changes, clock },
      load: createLoadStore(db),
      charts: market.history,
    }),
    ...bookHandlers({ listings, books, waitingForMoney: (model) => orderService.waitingForMoney(model) }),
    ...whatIfHandlers({ listings, books, market: config.market, play: (question) => thread.play(question) }),
  };
}

function documentHandler(): HandlerFor<'getConsoleOpenapi'> {
  const raw: Uint8Array = readFileSync(new URL('../../generated/console-api/openapi.json', import.meta.url));
  const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
  return () => ({ status: 200, headers, raw: raw as Rendered<JsonOf<'getConsoleOpenapi'>> });
}
