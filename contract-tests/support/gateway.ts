/** The gateway inside a test server: its assembly, and the audit that it has to pass after its tests. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { type Config, parseConfig } from '#config/config.ts';
import { operations as consoleOperations } from '#generated/console-api/operations.ts';
import { operations } from '#generated/operations.ts';
import { withPartnerPrefix } from '#http/contract.ts';
import { createService, type Service } from '#service/service.ts';
import { audit } from '#storage/audit/index.ts';
import type { Database } from '#storage/database/database.ts';
import { openDataStores } from '#storage/files/data-stores.ts';
import type { MockBackend } from '#testing/mock-backend.ts';
import type { Client } from './client.ts';
import { currentTest } from './current-test.ts';
import type { TestDatabase } from './database.ts';
import type { TestOperator } from './test-operator.ts';
import { eventually } from './waiting.ts';
import { watchReplies } from './watch.ts';

interface GatewayOptions {
  readonly settings: object;
  readonly databaseUrl: string;
  /** The folder for bodies and files, or for what waits where they are in a bucket. */
  readonly folder: string;
  /** The address of a bucket for bodies and files; null: they are in the folder. */
  readonly bucketUrl: string | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Variables besides those of every test. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a test may choose besides the configuration. */
export interface ServerOptions {
  readonly log?: Log;
  /** The bucket for bodies and files, asked for at the start; without it they are in a folder. */
  readonly bucketUrl?: () => string;
  /** Variables of the environment, asked for at the start. */
  readonly environment?: () => Readonly<Record<string, string>>;
}

/** A running gateway. */
export interface Gateway {
  readonly config: Config;
  readonly service: Service;
  readonly url: string;
  /** Begins to drain; resolves when the drain is over. May be called again. */
  readonly stop: () => Promise<void>;
  /** Replaces the text of the configuration file; the gateway goes on with the one before until it reads it again. */
  readonly rewrite: (text: string) => Promise<void>;
  /** How its answers have broken the document so far, for all requests. */
  readonly problems: readonly string[];
}

/** Everything of a test server while it runs. */
export interface Running extends Gateway {
  readonly backend: MockBackend;
  readonly folder: string;
  readonly testDatabase: TestDatabase;
  readonly operator: TestOperator;
  client: Client;
  answeredBefore: number;
}

/** Starts a gateway on a free port; all its answers are checked against the document. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, databaseUrl, folder, bucketUrl, clock, log } = options;
  const data = { SLUICE_DATA: bucketUrl ?? folder, SLUICE_SPILL: folder };
  // Read where the settings have payments or a provider; those of testing/stripe-server.ts and testing/oidc-server.ts.
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_sluice', STRIPE_WEBHOOK_SECRET: 'whsec_sluice' };
  const oidc = { OIDC_CLIENT_SECRET: 'a-secret-that-only-the-two-of-them-know' };
  const environment = {
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: databaseUrl,
    ...data,
    ...stripe,
    ...oidc,
    LOG_LEVEL: 'silent',
    ...options.environment,
  };
  const fileName = join(folder, 'contract-test.yaml');
  await writeFile(fileName, JSON.stringify(settings));
  const readConfig = () => parseConfig(readFileSync(fileName, 'utf8'), fileName, environment);
  const config = readConfig();
  const service = await createService({ config, readConfig, clock, random: seededRandom(1), log });
  const { url, port } = await service.listen();
  const served = {
    ...withPartnerPrefix(operations, config.partnerPrefix),
    ...(config.console.served ? consoleOperations : {}),
  };
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= service.close());
  const rewrite = (text: string) => writeFile(fileName, text);
  return {
    config,
    service,
    url,
    stop,
    rewrite,
    problems: watchReplies({ port, operations: served, asker: currentTest }),
  };
}

/** Resolves when every pod of the gateway is healthy. */
export async function whenPodsAreHealthy(client: Client): Promise<void> {
  await eventually(async () => {
    const health = JSON.parse((await client.call('getHealth')).text);
    return health.healthy_pods === health.pods;
  }, 'healthy pods');
}

interface AuditScope {
  readonly database: Database;
  readonly config: Config;
  readonly nowMs: number;
}

/** The findings of the audit of everything that a gateway left, one sentence each. */
export async function auditFindings({ database, config, nowMs }: AuditScope): Promise<readonly string[]> {
  const { results, contents, bucket } = await openDataStores(config, { clock: systemClock, deadlineMs: 60_000 });
  const { findings } = await audit(database, results, {
    contents,
    bounds: new Map(config.listings.all.map((listing) => [listing.id, listing])),
    slots: new Map(config.pods.map((pod) => [pod.id, pod.slots])),
    nowMs,
  });
  bucket?.close();
  return findings;
}
