/**
 * The operator's command line: `npx sluice …`, or `node src/cli.ts …`. This file says which commands there are and reads
 * their words; what they do is in `cli/`. Every command takes `--json`, and then its last line is one JSON object.
 */
import './node-version.ts';
import { Command } from 'commander';
import {
  changeStanding,
  createAccount,
  creditAccount,
  listAccounts,
  refundAccount,
  showAccount,
} from './cli/accounts.ts';
import { readAmount, readPriceLimit, readRetentionDays, readTopUp } from './cli/arguments.ts';
import { auditBooks } from './cli/audit.ts';
import { type Books, withBooks } from './cli/books.ts';
import { createKey, limitsById, listKeys, revokeKey } from './cli/keys.ts';
import { migrateBooks } from './cli/migrate.ts';
import { showRequest } from './cli/orders.ts';
import { type Result, refuse, report } from './cli/output.ts';
import { loadConfig, loadLimits, loadSettings } from './config.ts';

const VERSION = '0.1.0';

const program = new Command('sluice')
  .description('A market-priced inference gateway.')
  .version(VERSION)
  .configureOutput({ outputError: refuseWords })
  .showHelpAfterError('(sluice --help lists the commands)');

program
  .command('serve')
  .description('serve the gateway until SIGTERM')
  .option('--json', 'print the address as a JSON object instead of the welcome')
  .action(async ({ json = false }) => {
    // Loaded here because no other command needs the whole gateway, and half of them are run by scripts in a loop.
    const { serve } = await import('./main.ts');
    await serve({ json });
  });

leaf(program, 'migrate', 'bring the tables of the database up to date').action((options) =>
  run(options, (books) => migrateBooks(books)),
);

const account = group('account', 'accounts and their money');

leaf(account, 'create <name>', 'open an account')
  .option('--credit <usd>', 'a first top-up')
  .option('--force', 'take a top-up outside $10 to $10,000')
  .option('--retention-days <days>', 'how long results are kept, 0 to 30', '30')
  .option('--log-payloads', 'keep translated requests for as long as results')
  .action((name, options) =>
    run(options, (books) => {
      const { credit, force = false, retentionDays, logPayloads = false } = options;
      return createAccount(books, {
        name,
        credit: credit === undefined ? null : readTopUp(credit, force),
        force,
        retentionDays: readRetentionDays(retentionDays),
        logPayloads,
      });
    }),
  );
leaf(account, 'list', 'list the accounts').action((options) => run(options, listAccounts));
leaf(account, 'show <account>', 'show one account').action((id, options) =>
  run(options, (books) => showAccount(books, id)),
);
leaf(account, 'suspend <account>', 'refuse its requests; what runs is settled').action((id, options) =>
  run(options, (books) => changeStanding(books, { id, to: 'suspended' })),
);
leaf(account, 'resume <account>', 'take its requests again').action((id, options) =>
  run(options, (books) => changeStanding(books, { id, to: 'active' })),
);
money('credit <account> <usd>', 'add money')
  .option('--force', 'take a sum outside $10 to $10,000')
  .action((id, usd, { force = false, ...options }) =>
    run(options, (books) => creditAccount(books, { ...options, id, amount: readTopUp(usd, force), force })),
  );
money('refund <account> <usd>', 'give money back')
  .option('--order <order>', 'the order whose charge is given back')
  .action((id, usd, { order, ...options }) =>
    run(options, (books) => {
      const forOrder = order === undefined ? {} : { orderId: order };
      return refundAccount(books, { ...options, ...forOrder, id, amount: readAmount(usd) });
    }),
  );

const key = group('key', 'API keys');

leaf(key, 'create <account>', 'make a key; it is shown this once')
  .option('--name <text>', 'a name to tell it apart by')
  .option('--price-limit <model=usd>', 'default price limit of a market model, repeatable', addLimit)
  .action((accountId, { priceLimit = [], ...options }) =>
    run(options, (books) => {
      const typed = priceLimit.map(readPriceLimit);
      const limits = typed.length === 0 ? {} : limitsById(loadConfig().listings, typed);
      return createKey(books, { ...options, accountId, limits, activeMax: loadLimits().activeKeysPerAccount });
    }),
  );
leaf(key, 'list <account>', 'list the keys of an account').action((accountId, options) =>
  run(options, (books) => listKeys(books, accountId)),
);
leaf(key, 'revoke <key>', 'refuse a key from now on').action((keyId, options) =>
  run(options, (books) => revokeKey(books, keyId)),
);

const order = group('order', 'single orders');

leaf(order, 'request <order>', 'show what the model was sent, where the account keeps payloads').action((id, options) =>
  run(options, (books) => showRequest(books, id)),
);

leaf(program, 'audit', 'prove that entries, holds, orders and charges agree')
  .option('--against-config', 'also hold levels and slots to the configuration as it is now')
  .action(({ againstConfig = false, ...options }) =>
    run(options, (books) => {
      const { dataFolder } = loadSettings();
      return auditBooks(books, { dataFolder, config: againstConfig ? loadConfig() : null });
    }),
  );

leaf(program, 'replay <file>', 'play the record of a run again, and say whether everything comes out as it did').action(
  (file, options) =>
    report(async () => {
      // Loaded here because no other command needs a market.
      const { replayRecord } = await import('./cli/replay.ts');
      return replayRecord(file);
    }, wanted(options)),
);

leaf(program, 'simulate', 'play seeded days of trading and draw level and quote')
  .option('--seed <number>', 'which days', '1')
  .option('--only <words>', 'only days whose name holds one of these words, separated by commas')
  .option('--picture <file>', 'where the picture goes', 'simulation.svg')
  .action((options) =>
    report(async () => {
      // Loaded here because no other command needs a market.
      const { simulateDays } = await import('./cli/simulate.ts');
      return simulateDays({ only: '', ...options });
    }, wanted(options)),
  );

await program.parseAsync();

function group(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .showHelpAfterError(`(sluice ${name} --help lists its commands)`);
}

function leaf(parent: Command, usage: string, description: string): Command {
  const [name = ''] = usage.split(' ');
  const words = parent === program ? name : `${parent.name()} ${name}`;
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'end with one JSON object on the last line')
    .showHelpAfterError(`(sluice ${words} --help says what it takes)`);
}

function money(usage: string, description: string): Command {
  return leaf(account, usage, description)
    .option('--reason <text>', 'why, for the books')
    .option('--idempotency-key <key>', 'makes a repetition of this command harmless');
}

/** Words that make no command are refused like everything else, with `--json` too. */
function refuseWords(text: string): void {
  refuse(text.replace(/^error: /, '').trimEnd(), { json: process.argv.includes('--json') });
}

/** Text only: what is read inside the action is refused with one sentence. */
function addLimit(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function run(options: { json?: boolean }, command: (books: Books) => Promise<Result>): Promise<void> {
  return report(() => withBooks(loadSettings().databaseUrl, command), wanted(options));
}

function wanted({ json = false }: { json?: boolean }): { json: boolean } {
  return { json };
}
