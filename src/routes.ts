/**
 * Which handler serves each operation: the outer half of the composition root. Every handler is given the parts that it
 * needs and no others; the parts themselves are built by `service.ts`.
 */
import { readFileSync } from 'node:fs';
import type { Downloads } from './access/downloads.ts';
import type { Gate } from './access/gate.ts';
import type { AccessStore } from './access/ports.ts';
import { shapes } from './adapters/shapes.ts';
import type { Clock } from './base/clock.ts';
import type { IdSource } from './base/id.ts';
import type { Log } from './base/log.ts';
import type { BatchStore } from './batches/batch-ports.ts';
import type { Batches } from './batches/batches.ts';
import type { BatchFiles, FileContents, FileStore } from './batches/file-ports.ts';
import type { Config } from './config.ts';
import { accountHandlers } from './handlers/account.ts';
import { batchesHandlers } from './handlers/batches.ts';
import { countTokensHandler } from './handlers/count-tokens.ts';
import { filesHandlers } from './handlers/files.ts';
import type { Handlers } from './handlers/handlers.ts';
import { inferenceHandler } from './handlers/inference.ts';
import { marketHandlers } from './handlers/market.ts';
import { marketHistoryHandlers } from './handlers/market-history.ts';
import { marketStreamHandlers } from './handlers/market-streams.ts';
import { modelsHandlers } from './handlers/models.ts';
import { ordersHandlers } from './handlers/orders.ts';
import { partnerCatalogHandlers } from './handlers/partner-catalog.ts';
import { rateLimitsHandlers } from './handlers/rate-limits.ts';
import { repriceHandlers } from './handlers/reprice.ts';
import { resultsHandlers } from './handlers/results.ts';
import { statisticsHandlers } from './handlers/statistics.ts';
import { systemHandlers } from './handlers/system.ts';
import { uploadFileHandler } from './handlers/upload-file.ts';
import { uptimeHandlers } from './handlers/uptime.ts';
import { usageHandlers } from './handlers/usage.ts';
import { describedAt } from './http/partner-prefix.ts';
import type { MarketFeed } from './market/feed.ts';
import type { LocalExchange } from './market/local-exchange.ts';
import type { LevelBoard } from './market/market-view.ts';
import type { QuoteSettings } from './market/quote.ts';
import type { HealthView } from './observe/health.ts';
import type { LevelRecorder } from './observe/level-recorder.ts';
import type { ProbeStore } from './observe/ports.ts';
import type { ReadyView } from './observe/ready.ts';
import type { Desk } from './orders/desk.ts';
import type { OrderStore, ResultStore } from './orders/ports.ts';
import type { Accounts } from './storage/accounts.ts';
import type { Database } from './storage/database.ts';
import type { Journal } from './storage/journal/index.ts';
import { createTokenStore } from './storage/model-tokens.ts';
import { createUsageStore } from './storage/usage.ts';

/** The built parts that handlers are made of. */
export interface RouteParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly db: Database;
  readonly bootEpoch: number;
  readonly desk: Desk;
  readonly exchange: LocalExchange;
  readonly market: LevelBoard;
  readonly quotes: QuoteSettings;
  readonly feed: MarketFeed;
  readonly history: LevelRecorder;
  readonly journal: Journal;
  readonly store: OrderStore;
  readonly results: ResultStore;
  readonly batches: Batches;
  readonly batchStore: BatchStore & BatchFiles;
  readonly files: FileStore;
  readonly contents: FileContents;
  readonly downloads: Downloads;
  readonly ids: IdSource;
  readonly access: AccessStore;
  readonly accounts: Accounts;
  readonly gate: Gate;
  readonly ready: ReadyView;
  readonly probes: ProbeStore;
  readonly health: HealthView;
}

/** A handler for every operation. */
export function routes(parts: RouteParts): Handlers {
  const { config, clock, log, desk: orders, exchange, market, quotes, ready, store, access } = parts;
  const { listings } = config;
  const inference = { orders, clock };
  const { files, contents } = parts;
  return {
    createChatCompletion: inferenceHandler(shapes.chat, inference),
    createCompletion: inferenceHandler(shapes.completion, inference),
    createResponse: inferenceHandler(shapes.responses, inference),
    createMessage: inferenceHandler(shapes.messages, inference),
    countMessageTokens: countTokensHandler({ listings }),
    ...modelsHandlers({ listings }),
    ...partnerCatalogHandlers({ listings, catalogs: config.catalogs, market, ready, quotes, clock }),
    ...rateLimitsHandlers({ limits: config.limits }),
    ...marketHandlers({ listings, market, quotes, clock }),
    ...marketStreamHandlers({ listings, feed: parts.feed }),
    ...marketHistoryHandlers({ listings, market, charts: parts.history, clock }),
    ...repriceHandlers({ orders }),
    ...resultsHandlers({
      store,
      results: parts.results,
      journal: parts.journal,
      downloads: parts.downloads,
      shapes,
      clock,
      log,
      bootEpoch: parts.bootEpoch,
      isBatchRunning: (batchId) => parts.batches.isRunning(batchId),
    }),
    ...batchesHandlers({ batches: parts.batches, store: parts.batchStore, clock }),
    uploadFile: uploadFileHandler({
      files,
      contents,
      ids: parts.ids,
      clock,
      fileBytesMax: config.limits.batchFileBytes,
    }),
    ...filesHandlers({ files, contents, batchFiles: parts.batchStore, downloads: parts.downloads, clock, log }),
    ...ordersHandlers({ orders, store, exchange, listings }),
    ...accountHandlers({ access, orders: store, listings, defaults: parts.accounts, gate: parts.gate }),
    ...statisticsHandlers({ listings, market, ready, tokens: createTokenStore(parts.db), clock }),
    ...uptimeHandlers({ listings, ready, probes: parts.probes, settings: config.probes, clock }),
    ...usageHandlers({ usage: createUsageStore(parts.db), access, listings }),
    ...systemHandlers({ health: parts.health, ...ownDescription(config.partnerPrefix) }),
  };
}

/** The name under which this gateway describes itself, and its interface. */
function ownDescription(partnerPrefix: string): { version: string; document: string } {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  return { version, document: describedAt(read('generated/openapi.json'), partnerPrefix) };
}
