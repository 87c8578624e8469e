/**
 * The house rules as tables: which place may import which, and where a package or a word of the language is at home. The
 * files beside this one check the source against them; docs/change/architecture.md gives the reasons. How long files and
 * functions may be, and that files import each other in no circle, is in biome.json.
 *
 * A place is a folder of `src/` (`market`), the files directly in it (`src`), or a folder beside it (`testing`). Paths
 * are written as imports are, without the `#`: `market/price/level.ts` for `src/market/price/level.ts`.
 */

/** What each place may import: whole places or single files; `src` is all of `src/`. A place may always import itself. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  access: ['base'],
  ledger: ['base'],
  conformance: ['base', 'generated'],
  market: ['base', 'ledger/tariff.ts'],
  results: ['base', 'ledger'],
  orders: ['base', 'market/listing.ts', 'market/ports.ts', 'ledger', 'results'],
  adapters: ['base', 'orders', 'results', 'ledger/receipt.ts', 'generated'],
  contract: ['base', 'access', 'generated', 'market/listing.ts', 'orders/request.ts'],
  cluster: ['base', 'generated', 'market', 'orders'],
  observe: ['base', 'orders', 'market', 'ledger/tariff.ts'],
  pods: ['base', 'market/ports.ts', 'orders', 'results/generation.ts'],
  batches: ['base', 'orders', 'results', 'adapters', 'generated'],
  storage: [
    'base',
    'access',
    'ledger',
    'market/units.ts',
    'market/ports.ts',
    'market/units.ts',
    'orders/order.ts',
    'orders/ports.ts',
    'orders/units.ts',
    'results/ports.ts',
    'results/result.ts',
    'batches/batch.ts',
    'batches/file.ts',
    'batches/units.ts',
    'cluster/membership/membership.ts',
    'cluster/messages.ts',
    'cluster/ports.ts',
    'observe/ports.ts',
  ],
  signing: ['base', 'storage'],
  accounts: [
    'base',
    'access',
    'contract',
    'generated',
    'ledger',
    'storage',
    'batches/batch.ts',
    'market/listing.ts',
    'observe/ports.ts',
    'orders/ports.ts',
    'pods/undici-pool.ts',
    'results/ports.ts',
  ],
  config: [
    'base',
    'generated',
    'access',
    'ledger',
    'market',
    'pods',
    'accounts/members/identity-provider.ts',
    'accounts/payments/stripe.ts',
    'signing/signing-key.ts',
  ],
  handlers: [
    'base',
    'generated',
    'contract',
    'access',
    'adapters',
    'orders',
    'results',
    'market',
    'ledger',
    'batches',
    'observe',
    'accounts',
    'signing/signer.ts',
  ],
  operator: [
    'base',
    'generated',
    'contract',
    'access',
    'accounts',
    'handlers',
    'ledger',
    'market',
    'observe',
    'orders',
    'pods',
    'storage',
  ],
  http: [
    'base',
    'generated',
    'contract',
    'access',
    'accounts',
    'handlers',
    'adapters/common/envelope.ts',
    'adapters/common/validation.ts',
    'observe/traces/traces.ts',
  ],
  service: ['src', 'generated'],
  cli: ['src', 'simulations/run.ts', 'simulations/demo'],
  src: ['cli', 'base', 'config', 'generated'],
  simulations: [
    'base',
    'access/member.ts',
    'access/principal.ts',
    'accounts',
    'batches/pace.ts',
    'cluster',
    'config/config.ts',
    'ledger/tariff.ts',
    'market',
    'observe',
    'orders',
    'service/service.ts',
    'storage',
  ],
  testing: ['src', 'generated', 'simulations/cluster', 'simulations/demo/past.ts'],
  'contract-tests': ['generated', 'testing', 'conformance'],
  'engine-tests': ['testing'],
  'deploy-tests': ['testing', 'config/config.ts', 'scripts/artifacts'],
  benchmarks: ['src', 'generated', 'testing', 'simulations/markdown-table.ts', 'scripts/harness', 'scripts/soak'],
  scripts: ['codegen', 'testing', 'conformance', 'base/random.ts', 'base/time.ts', 'simulations'],
  codegen: [],
  console: ['generated'],
  'sdk-tests': ['codegen', 'testing', 'scripts/harness', 'base/random.ts'],
};

/** What a test may import beyond its place. Contract tests may not: they know a gateway only over HTTP. */
export const arrowsOfTests: readonly string[] = ['src', 'generated', 'testing', 'simulations/cluster'];

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
    may: ['base', 'access', 'accounts', 'storage'],
    because:
      'It does what an operator does with the command line: accounts, keys and credit have no operation over HTTP.',
  },
  'contract-tests/support/database.test.ts': {
    may: ['storage/database/database.ts'],
    because: 'It tests the databases of contract tests with the connection of the gateway.',
  },
  'contract-tests/support/cut-streams.ts': {
    may: ['base/random.ts'],
    because: 'It cuts streams at bytes that a seed names.',
  },
  'contract-tests/support/no-operation.ts': {
    may: ['http/contract.ts'],
    because: 'The path decides the envelope of a request outside every operation, in one place.',
  },
  'contract-tests/documents.test.ts': {
    may: ['config/config.ts'],
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
const tracing = ['order-spans', 'otlp', 'spans', 'traces'].map((name) => `observe/traces/${name}.ts`);

/** Packages that only some places or files of the product may import, so that each can be replaced in one place. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  express: ['http'],
  // Its bundle is in generated/openapi-backend/.
  'openapi-backend': ['http/dispatch.ts'],
  'swagger-ui-dist': ['http'],
  '@fastify/busboy': ['http'],
  knex: ['storage', 'accounts', 'operator'],
  'better-sqlite3': ['storage'],
  mysql2: ['storage'],
  '@aws-sdk/client-s3': ['storage/blobs/bucket.ts'],
  ws: ['cluster/peers'],
  undici: ['pods', 'accounts/webhooks/sender.ts'],
  nodemailer: ['accounts/webhooks/mailer.ts'],
  standardwebhooks: ['accounts/webhooks/signature.ts'],
  '@node-rs/argon2': ['accounts/members'],
  '@simplewebauthn/server': ['accounts/members/webauthn.ts'],
  'openid-client': ['accounts/members/identity-provider.ts'],
  jose: ['signing', 'conformance'],
  stripe: ['accounts/payments/stripe.ts'],
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
    homes: ['config', 'console/src/start/clients.ts'],
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
    homes: ['cli.ts', 'cli', 'console/src/start/clients.ts'],
    mend: 'take a Log',
  },
  {
    pattern: /\bprocess\.exit\(/,
    homes: ['cli.ts', 'cli', 'base/node-version.ts'],
    mend: 'throw, and let main end',
  },
  {
    pattern: /\bTODO\b(?!\(#\d+\))/,
    homes: ['scripts/tidy/rules.ts'],
    mend: 'open an issue and write TODO(#number)',
    everywhere: true,
  },
];
