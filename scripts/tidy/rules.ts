/**
 * The house rules as tables: who may import whom, where a package or a word of the language is at home, how long a
 * file may be. `inspect.ts` holds them against the source; docs/architecture.md explains why they are what they are.
 */

/** Folders that belong to the files directly in `src/`: like them they put the parts together and may import anything. */
export const rootFolders: readonly string[] = ['config', 'cli'];

/**
 * What each other folder of `src/` may import: a whole folder, or single files of it. A folder may always import itself.
 */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  market: ['base', 'ledger/tariff.ts'],
  ledger: ['base'],
  orders: ['base', 'market', 'ledger'],
  adapters: ['base', 'orders', 'ledger/receipt.ts', '#generated'],
  access: ['base'],
  batches: ['base', 'orders', 'adapters', '#generated'],
  observe: ['base', 'orders', 'market', 'ledger/tariff.ts'],
  pods: ['base', 'orders'],
  storage: [
    'base',
    'ledger',
    'market/ports.ts',
    'orders/order.ts',
    'orders/ports.ts',
    'orders/journal-port.ts',
    'orders/batch-units.ts',
    'orders/results.ts',
    'access',
    'observe/ports.ts',
    'batches/batch.ts',
    'batches/batch-ports.ts',
    'batches/file.ts',
    'batches/file-ports.ts',
  ],
  handlers: ['base', '#generated', 'adapters', 'orders', 'market', 'ledger', 'access', 'batches', 'observe'],
  http: ['base', '#generated', 'handlers', 'access', 'adapters/envelope.ts'],
};

/** Packages that only some folders or files may know, so that each can be replaced in one place. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  express: ['http'],
  'openapi-backend': ['http'],
  'swagger-ui-dist': ['http'],
  '@fastify/busboy': ['http'],
  knex: ['storage'],
  'better-sqlite3': ['storage'],
  mysql2: ['storage'],
  undici: ['pods'],
  rxjs: ['market'],
  pino: ['base'],
  yaml: ['config'],
  commander: ['cli.ts', 'cli'],
};

interface Word {
  readonly pattern: RegExp;
  readonly homes: readonly string[];
  readonly mend: string;
}

/** Words that reach out of the program, and where they are at home. */
export const words: readonly Word[] = [
  { pattern: /\bprocess\.env\b/, homes: ['config.ts'], mend: 'take the setting from Config' },
  { pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, homes: ['base'], mend: 'take a Clock' },
  { pattern: /\bset(Timeout|Interval)\(/, homes: ['base'], mend: 'take a Clock' },
  { pattern: /\bMath\.random\(|\brandom(Bytes|UUID|Int)\(/, homes: ['base'], mend: 'take a Random or an IdSource' },
  { pattern: /\bconsole\./, homes: ['cli.ts', 'cli', 'main.ts'], mend: 'take a Log' },
  {
    pattern: /\bprocess\.exit\(/,
    homes: ['cli.ts', 'cli', 'main.ts', 'node-version.ts'],
    mend: 'throw, and let main end',
  },
  { pattern: /\bTODO\b(?!\(#\d+\))/, homes: [], mend: 'open an issue and write TODO(#number)' },
];

/** Lines of a source file that is not a test: above the first number a warning, above the second a fault. */
export const lineLimits = { warn: 300, fail: 400 } as const;
