/**
 * Builds the HTTP side of a gateway: access, a handler for each operation, and the server. Every handler gets only the
 * parts that it needs.
 */
import { readFileSync } from 'node:fs';
import { Downloads } from '#access/downloads.ts';
import { createDownloadStore } from '#accounts/account/download-store.ts';
import { sharedReceipt } from '#accounts/account/receipt-links.ts';
import { Authenticator } from '#accounts/keys/authenticator.ts';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { shapesFor } from '#adapters/shapes.ts';
import { FairShare } from '#base/fair-share.ts';
import type { Handlers } from '#contract/call.ts';
import { operations } from '#generated/operations.ts';
import { queries } from '#generated/queries.ts';
import { requestBodies } from '#generated/validators.js';
import { accountHandlers, usageHandlers } from '#handlers/account.ts';
import { batchesHandlers } from '#handlers/batches.ts';
import { countTokensHandler } from '#handlers/count-tokens.ts';
import { dryRunHandler } from '#handlers/dry-run.ts';
import { FailedRepeats } from '#handlers/failed-repeats.ts';
import { filesHandlers, uploadFileHandler } from '#handlers/files.ts';
import { acceptedReply, inferenceHandler } from '#handlers/inference.ts';
import { marketHandlers, marketStreamHandlers } from '#handlers/market.ts';
import { marketDepthHandlers, marketEstimateHandlers } from '#handlers/market-estimate.ts';
import { marketHistoryHandlers, marketLocksHandlers } from '#handlers/market-history.ts';
import { marketPage } from '#handlers/market-page.ts';
import { marketSummaryHandlers } from '#handlers/market-summary.ts';
import { modelsHandlers } from '#handlers/models.ts';
import { FOLLOWERS_AT_ONCE, orderStreamHandlers } from '#handlers/order-stream.ts';
import { ordersHandlers, repriceHandlers } from '#handlers/orders.ts';
import { partnerCatalogHandlers } from '#handlers/partner-catalog.ts';
import { rateLimitsHandlers } from '#handlers/rate-limits.ts';
import { marketLedgerHandlers, receiptsHandlers } from '#handlers/receipts.ts';
import { backgroundAgain, responsesHandlers } from '#handlers/responses.ts';
import { resultsHandlers } from '#handlers/results.ts';
import { latencyHandlers, statisticsHandlers, uptimeHandlers } from '#handlers/statistics.ts';
import { processHealth, systemHandlers } from '#handlers/system.ts';
import { type ConsoleRoutes, createApp } from '#http/app.ts';
import { describedAt, withPartnerPrefix } from '#http/contract.ts';
import { ReplyDrain } from '#http/drain.ts';
import { createPages } from '#http/pages.ts';
import type { RequestContext } from '#http/request-context.ts';
import { HttpServer } from '#http/server.ts';
import { SigningKeyStore } from '#signing/key-store.ts';
import { Signer } from '#signing/signer.ts';
import { createLockHistory } from '#storage/market/lock-history.ts';
import { createPastPrices } from '#storage/market/past-prices.ts';
import { findOrderIn } from '#storage/orders/store.ts';
import { createTokenStore } from '#storage/statistics/model-tokens.ts';
import { readRunsFrom } from '#storage/statistics/run-hours.ts';
import type { ConsoleParts } from './console-api.ts';
import { ownVersion } from './own-version.ts';
import type { Parts } from './parts.ts';

/** Builds the server; it does not listen yet. Throws when an operation of the contract has no handler. */
export function buildHttp(parts: Parts): HttpServer {
  const { outside, storage, market, orders, largeBodies, rates, traces } = parts;
  const { config, clock, ids, log } = outside;
  const { listings, limits } = config;
  const { db, access, counts } = storage;
  const authenticator = new Authenticator({ store: access, clock });
  const drain = new ReplyDrain();
  const calls = orderHandlers(parts);
  const handlers: Handlers = {
    ...calls,
    ...marketHandlersOf(parts),
    ...accountHandlersOf(parts, authenticator, drain),
  };
  const members = config.console.served;
  const app = createApp({
    contract: { operations: withPartnerPrefix(operations, config.partnerPrefix), requestBodies, queries },
    handlers,
    authenticator,
    rates,
    limits,
    largeBodies,
    drain,
    trustProxy: config.trustProxy,
    pages: config.console.enabled
      ? createPages({
          market: marketPage({ listings, market: market.board, ready: orders.ready, clock, members }),
          members,
        })
      : null,
    console: consoleRoutes({ ...parts, drain, authenticator, calls }),
    isOutage: (error) => db.dialect.isOutage(error),
    onRefusal: counts?.refused,
    tracing: traces,
    ids,
    clock,
    log,
  });
  return new HttpServer({ app, drain, ids, clock, log });
}

/** The operations that take, show and change customers' orders. */
function orderHandlers(parts: Parts) {
  const { outside, storage, market, orders: built, others } = parts;
  const { config, clock, ids, log } = outside;
  const { listings, limits } = config;
  const shapes = shapesFor(listings);
  const { db, journal, bootEpoch, store, results, batchStore, files, contents, disk } = storage;
  const { orderService: orders, batches, eviction } = built;
  const downloads = new Downloads({
    store: createDownloadStore(db, journal),
    clock,
    bytesPerHour: () => limits.downloadBytesPerHourPerAccount,
    shared: others !== null,
    log,
  });
  const dryRun = dryRunHandler({ dryRuns: orders.dryRuns, odds: market.views, clock });
  const { repeatGuardMs } = config;
  const repeats = repeatGuardMs > 0 ? new FailedRepeats(clock, repeatGuardMs) : null;
  const inference = { orders, clock, listings, dryRun, repeats };
  const isServing = (epoch: number) => epoch === bootEpoch || (others?.isServing(epoch) ?? false);
  const isBatchRunning = (batchId: string) => (others?.batches ?? batches).isRunning(batchId);
  const anywhere = others
    ? { orders: others.orders, batches: { create: batches.create.bind(batches), cancel: others.batches.cancel } }
    : { orders, batches };
  const following = others?.following ?? orders;
  const followers = new FairShare(FOLLOWERS_AT_ONCE);
  const streams = { orders: following, followers, store, results, downloads, shapes, clock, log, isServing };
  const receipts = {
    signer: signerOf(parts),
    findOrder: findOrderIn(db),
    prices: createPastPrices(db),
    findShared: (token: string) => sharedReceipt(db, token),
    clock,
  };
  return {
    createChatCompletion: inferenceHandler(shapes.chat, { ...inference, accepted: acceptedReply }),
    createCompletion: inferenceHandler(shapes.completion, { ...inference, accepted: acceptedReply }),
    createResponse: inferenceHandler(shapes.responses, {
      ...inference,
      again: backgroundAgain(streams),
      background: config.responses.background,
    }),
    createMessage: inferenceHandler(shapes.messages, inference),
    countMessageTokens: countTokensHandler({ listings }),
    ...ordersHandlers({ orders: anywhere.orders, store, exchange: market.exchange, listings }),
    ...repriceHandlers(anywhere.orders),
    ...resultsHandlers({ store, results, journal, downloads, shapes, clock, log, isServing, isBatchRunning }),
    ...orderStreamHandlers(streams),
    ...responsesHandlers({ ...streams, cancels: anywhere.orders }),
    ...receiptsHandlers(receipts),
    ...batchesHandlers({ batches: anywhere.batches, store: batchStore, eviction, clock }),
    uploadFile: uploadFileHandler({ files, contents, ids, clock, disk, limits }),
    ...filesHandlers({ files, contents, batchFiles: batchStore, downloads, clock, log }),
  };
}

function signerOf({ outside, storage }: Parts): Signer {
  const { config, clock } = outside;
  return new Signer({ store: new SigningKeyStore(storage.db), ownKey: config.receiptSigningKey, clock });
}

/** The operations that show the models and the markets. */
function marketHandlersOf(parts: Parts) {
  const { outside, storage, market: built, orders } = parts;
  const { config, clock } = outside;
  const { listings } = config;
  const { db, probes } = storage;
  const { board: market, quotes, feed, history, views } = built;
  const { ready } = orders;
  const tokens = createTokenStore(db);
  return {
    ...modelsHandlers({ listings }),
    ...partnerCatalogHandlers({ listings, catalogs: config.catalogs, market, ready, quotes, clock }),
    ...marketHandlers({ listings, market, quotes, clock }),
    ...marketStreamHandlers({ listings, feed }),
    ...marketHistoryHandlers({ listings, market, charts: history, clock }),
    ...marketSummaryHandlers({ listings, market, charts: history, depths: views, ready, tokens, probes, clock }),
    ...marketDepthHandlers({ listings, depths: views, clock }),
    ...marketEstimateHandlers({ listings, market, quotes, odds: views, clock }),
    ...marketLedgerHandlers({ listings, prices: createPastPrices(db), signer: signerOf(parts), clock }),
    ...marketLocksHandlers({ listings, market, quotes, locks: createLockHistory(db), clock }),
    ...statisticsHandlers({ listings, market, ready, tokens, clock }),
    ...latencyHandlers({ listings, runs: readRunsFrom(db), clock }),
    ...uptimeHandlers({ listings, ready, probes, settings: config.probes, clock }),
  };
}

/** The operations that show the caller's account and the gateway. */
function accountHandlersOf(parts: Parts, authenticator: Authenticator, drain: ReplyDrain) {
  const { outside, storage, market, orders, markets, right } = parts;
  const { config, clock } = outside;
  const { listings, limits } = config;
  const { db, journal, store, access, accounts, disk } = storage;
  const health = processHealth({
    askDatabase: () => db.knex.raw('SELECT 1'),
    clock,
    journal,
    exchange: markets,
    market: market.board,
    listings,
    orderService: orders.orderService,
    pods: orders.pods,
    drain,
    disk,
    right,
  });
  const described = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
  const document = describedAt(described, config.partnerPrefix);
  return {
    ...accountHandlers({ access, orders: store, listings, defaults: accounts, authenticator, clock }),
    ...usageHandlers({ usage: new UsageStore(db), access, listings, clock }),
    ...rateLimitsHandlers({ limits }),
    ...systemHandlers({ health, version: ownVersion(), document }),
  };
}

type Answer = ConsoleRoutes['answer'];

const ADDRESSES =
  /^\/(?:(?:settings|console)\/api(?:[/?#]|$)|(?:console\/openapi\.json|settings\/sign-in(?:\.js|\/provider)?)\/?(?:[?#]|$))/;

/** The address for events of the payment provider, also on gateways without sign-in. */
const EVENTS = /^\/payments\/stripe\/webhook\/?(?:[?#]|$)/;

/**
 * The settings and the console beside the API; null where the configuration has none of it. They are loaded by the first
 * request that asks for them: a gateway that nobody looks at starts no slower for them and needs no more memory.
 */
export function consoleRoutes(parts: ConsoleParts): ConsoleRoutes | null {
  const { config, log } = parts.outside;
  const { served } = config.console;
  if (!served && parts.payments === null) return null;
  let built: Promise<Answer> | null = null;
  return {
    takes: (url) => (served && ADDRESSES.test(url)) || EVENTS.test(url),
    async answer(context: RequestContext) {
      built ??= import('./console-api.ts').then(({ buildConsole }) => buildConsole(parts));
      try {
        await (await built)(context);
      } catch (error) {
        // Only a failure to load gets here; loaded modules answer their own errors. The next request tries again.
        built = null;
        log.error({ err: error }, 'The settings and the console could not be loaded.');
        context.response.destroy();
      }
    },
  };
}
