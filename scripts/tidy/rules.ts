/**
 * The house rules as tables: which place may import which, where a package or a word of the language is at home, and
 * how long a file may be. The files beside this one check the source against them; docs/architecture.md gives the
 * reasons.
 *
 * A place is a folder of `src/` (`market`), the files directly in it (`src`), or a folder beside it (`testing`). Paths
 * are written as imports are, without the `#`: `market/level.ts` for `src/market/price/level.ts`.
 */

/** What each place may import: whole places or single files; `src` is all of `src/`. A place may always import itself. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  market: ['base', 'ledger/tariff.ts'],
  ledger: ['base'],
  results: ['base', 'ledger'],
  orders: ['base', 'market', 'ledger', 'results'],
  adapters: ['base', 'orders', 'results', 'ledger/receipt.ts', 'generated'],
  cluster: ['base', 'market', 'orders'],
  access: ['base'],
  members: ['base', 'access/principal.ts'],
  payments: ['base'],
  signing: ['base'],
  conformance: ['base'],
  webhooks: ['base', 'pods/undici-pool.ts'],
  batches: ['base', 'orders', 'results', 'adapters', 'generated'],
  observe: ['base', 'orders', 'market', 'ledger/tariff.ts'],
  pods: ['base', 'orders', 'results/generation.ts'],
  storage: [
    'base',
    'ledger',
    'market/ports.ts',
    'market/level-records.ts',
    'market/units.ts',
    'orders/order.ts',
    'orders/ports.ts',
    'orders/units.ts',
    'results/ports.ts',
    'results/result.ts',
    'results/units.ts',
    'access',
    'observe/ports.ts',
    'cluster/ports.ts',
    'cluster/messages.ts',
    'batches/batch.ts',
    'batches/batch-ports.ts',
    'batches/file.ts',
    'batches/file-ports.ts',
    'batches/units.ts',
    'members',
    'payments/ports.ts',
    'payments/top-up-ports.ts',
    'signing/ports.ts',
    'webhooks/event.ts',
    'webhooks/ports.ts',
    'webhooks/units.ts',
  ],
  handlers: [
    'base',
    'generated',
    'adapters',
    'orders',
    'results',
    'market',
    'ledger',
    'access',
    'batches',
    'observe',
    'signing/signer.ts',
  ],
  http: [
    'base',
    'generated',
    'handlers',
    'access',
    'members',
    'payments',
    'webhooks',
    'pods/pod-state.ts',
    'adapters/envelope.ts',
    'adapters/validation.ts',
  ],
  config: [
    'base',
    'ledger',
    'market',
    'pods',
    'payments/stripe.ts',
    'members/identity-provider.ts',
    'members/member.ts',
    'signing/signing-key.ts',
  ],
  cli: ['src', 'simulations/run.ts'],
  service: ['src', 'generated'],
  src: ['generated'],
  simulations: ['base', 'market', 'cluster', 'orders', 'batches/pace.ts'],
  testing: ['src', 'generated'],
  'contract-tests': ['generated', 'testing', 'conformance'],
  'engine-tests': ['testing'],
  'deploy-tests': ['testing', 'config.ts'],
  benchmarks: ['src', 'testing', 'simulations/markdown-table.ts', 'scripts/soak'],
  scripts: ['codegen', 'testing', 'conformance', 'base/random.ts', 'base/time.ts', 'simulations'],
  codegen: [],
  console: ['generated'],
  'sdk-tests': [],
};

/** What a test may import beyond its place. Contract tests may not: they know a gateway only over HTTP. */
export const arrowsOfTests: readonly string[] = ['src', 'generated', 'testing', 'simulations/cluster/lease-table.ts'];

/** Single files that may import more than their place, and why. */
export const exceptions: Readonly<Record<string, { readonly may: readonly string[]; readonly because: string }>> = {
  'contract-tests/support/gateway.ts': {
    may: ['src'],
    because: 'It assembles the gateway under test in the process of the test, and audits what it left.',
  },
  'contract-tests/support/server.ts': {
    may: ['base/clock.ts', 'base/log.ts'],
    because: 'It moves the clock of that gateway, and may read its log.',
  },
  'contract-tests/support/test-operator.ts': {
    may: ['base', 'access/principal.ts', 'members/member.ts', 'storage'],
    because:
      'It does what an operator does with the command line: accounts, keys and credit have no operation over HTTP.',
  },
  'contract-tests/support/database.test.ts': {
    may: ['storage/database/database.ts'],
    because: 'It tests the databases of contract tests with the connection of the gateway.',
  },
  'contract-tests/support/no-operation.ts': {
    may: ['http/contract.ts'],
    because: 'The path decides the envelope of a request outside every operation, in one place.',
  },
  'contract-tests/documents.test.ts': {
    may: ['config.ts'],
    because: 'It reads the configurations that documents show, as the gateway does.',
  },
  'contract-tests/injection.test.ts': {
    may: ['base/log.ts'],
    because: 'It searches the log for injected text, too.',
  },
  'contract-tests/odd-bodies.test.ts': {
    may: ['base/random.ts'],
    because: 'It generates bodies from a seed.',
  },
};

/** Whether the code of a place runs in production: words and packages are checked only there. */
export function isProduct(place: string): boolean {
  return ![
    'testing',
    'contract-tests',
    'engine-tests',
    'deploy-tests',
    'benchmarks',
    'scripts',
    'codegen',
    'sdk-tests',
  ].includes(place);
}

/** All of it is loaded only where a collector is configured. */
const tracing = ['order-spans', 'otlp', 'sampling', 'span-queue', 'spans', 'traces'].map(
  (name) => `observe/traces/${name}.ts`,
);

/** Packages that only some places or files of the product may import, so that each can be replaced in one place. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  express: ['http'],
  'swagger-ui-dist': ['http'],
  '@fastify/busboy': ['http'],
  knex: ['storage'],
  'better-sqlite3': ['storage'],
  mysql2: ['storage'],
  '@aws-sdk/client-s3': ['storage/blobs/bucket.ts'],
  ws: ['cluster/web-socket-dial.ts', 'cluster/web-socket-line.ts', 'cluster/web-socket-port.ts'],
  undici: ['pods', 'webhooks/sender.ts'],
  standardwebhooks: ['webhooks/signature.ts'],
  '@node-rs/argon2': ['members'],
  '@simplewebauthn/server': ['members/authenticators.ts'],
  'openid-client': ['members/identity-provider.ts'],
  jose: ['signing', 'conformance'],
  stripe: ['payments/stripe.ts'],
  '@opentelemetry/api': tracing,
  '@opentelemetry/exporter-trace-otlp-proto': tracing,
  '@opentelemetry/resources': tracing,
  '@opentelemetry/sdk-trace': tracing,
  '@prometheus-io/client': ['observe/metrics/process.ts'],
  rxjs: ['market'],
  pino: ['base'],
  yaml: ['config'],
  commander: ['cli.ts', 'cli'],
};

interface Word {
  readonly pattern: RegExp;
  readonly homes: readonly string[];
  readonly mend: string;
  /** Also checked in tests and scripts. */
  readonly everywhere?: true;
}

/** Words that reach outside the program, and where they are at home. */
export const words: readonly Word[] = [
  {
    pattern: /\bprocess\.env\b/,
    homes: ['config.ts', 'console/src/start/clients.ts'],
    mend: 'take the setting from Config',
  },
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    homes: ['base', 'console/src/clock.ts'],
    mend: 'take a Clock',
  },
  { pattern: /\bset(Timeout|Interval)\(/, homes: ['base', 'console/src/clock.ts'], mend: 'take a Clock' },
  { pattern: /\brandom(Bytes|UUID|Int)\(/, homes: ['base'], mend: 'take a Random or an IdSource' },
  { pattern: /\bMath\.random\(/, homes: ['base'], mend: 'take a Random: a run can then be repeated', everywhere: true },
  {
    pattern: /\bconsole\.\w+\(/,
    homes: ['cli.ts', 'cli', 'main.ts', 'console/src/start/clients.ts'],
    mend: 'take a Log',
  },
  {
    pattern: /\bprocess\.exit\(/,
    homes: ['cli.ts', 'cli', 'main.ts', 'node-version.ts'],
    mend: 'throw, and let main end',
  },
  {
    pattern: /\bTODO\b(?!\(#\d+\))/,
    homes: ['scripts/tidy/rules.ts'],
    mend: 'open an issue and write TODO(#number)',
    everywhere: true,
  },
];

/** The maximum number of lines of a file. */
export const lineLimits = { source: 300, test: 400 } as const;

/** Longer files, and their maximum; never above 600. They may only shrink, and no file may be added. */
export const longFiles: Readonly<Record<string, number>> = {
  'src/orders/order-service.test.ts': 600,
  'src/market/exchange/exchange.test.ts': 560,
  'src/pods/backend.test.ts': 450,
  'src/storage/audit/audit.test.ts': 450,
  'src/config/config.test.ts': 450,
  'src/order-lives.test.ts': 450,
};
