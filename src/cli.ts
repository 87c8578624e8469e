/**
 * The operator's command line: `npx sluice …`, or `node src/cli.ts …`. This file declares the commands and their
 * arguments; what they do is in `cli/`. With `--json` the last line of every command is one JSON object.
 */
import '#base/node-version.ts';
import { Command } from 'commander';
import { systemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { configSchema, loadConfig, loadLimits } from '#config/config.ts';
import { readEnvironment } from '#config/environment.ts';
import { ownVersion } from '#service/own-version.ts';
import {
  changeStatus,
  closeAccount,
  createAccount,
  creditAccount,
  debitAccount,
  listAccounts,
  listPayments,
  refundAccount,
  showAccount,
  updateAccount,
} from './cli/accounts.ts';
import {
  readAmount,
  readDuration,
  readKeySettings,
  readPriceLimit,
  readRetentionDays,
  readTopUp,
} from './cli/argument-values.ts';
import { auditStore } from './cli/audit.ts';
import type { BackupOutside } from './cli/backup.ts';
import { listEntries, showOrder, showStatement } from './cli/books.ts';
import { showCluster } from './cli/cluster.ts';
import { showHealth } from './cli/health.ts';
import { createKey, limitsById, listKeys, revokeKey, rotateKey, updateKey } from './cli/keys.ts';
import { inviteMember, listMembers, removeMember, showChanges, showRequest } from './cli/members.ts';
import { beginning, migrateTables, stored } from './cli/operator-store.ts';
import { addOperatorTokenCommands } from './cli/operator-tokens.ts';
import { CommandError, privateFiles, refuse, report } from './cli/output.ts';
import { addPodCommands } from './cli/pods.ts';
import { addProofCommands } from './cli/proof-commands.ts';
import { checkedConfig, reloadGateways } from './cli/reload.ts';
import { addWebhookCommands } from './cli/webhooks.ts';
import { addressOf, pagesAddressOf } from './cli/welcome.ts';

const program = new Command('sluice')
  .description('A market-priced inference gateway.')
  .version(ownVersion())
  .configureOutput({ outputError: refuseUsage })
  .hook('preAction', privateFiles)
  .showHelpAfterError('(sluice --help lists the commands)');

program
  .command('serve')
  .description('run the gateway until SIGTERM or Ctrl+C')
  .option('--json', 'print the address as a JSON object instead of the welcome')
  .action(async ({ json = false }) => {
    // Loaded here because no other command needs the whole gateway, and scripts run the others in a loop.
    const { serve } = await import('#cli/serve.ts');
    await serve({ json });
  });

leaf(program, 'migrate', 'bring the tables of the database up to date').action(beginning(migrateTables));

leaf(program, 'health', 'check that a running gateway works; exits 1 if not')
  .option('--url <url>', 'where it is reached (default: from HOST and PORT)')
  .action(({ url = addressOf(readEnvironment()), ...options }) => report(() => showHealth(url), options));

const config = group('config', 'the configuration file');

leaf(config, 'check [file]', 'check a configuration file and the environment, without starting anything')
  .option('--connect', 'also send each pod two short requests; exits 1 if one fails')
  .action((file, { connect = false, ...options }) =>
    report(async () => {
      const read = loadConfig(file);
      const checked = checkedConfig(read);
      if (!connect) return checked;
      // Loaded here because no other command asks pods.
      const { connectPods } = await import('./cli/connect.ts');
      const { ok, pods, text } = await connectPods(read, systemClock);
      const json = { ...checked.json, ok, connected: pods };
      return { json, text: `${checked.text}\n\n${text}`, exitCode: ok ? 0 : 1 };
    }, options),
  );

leaf(config, 'schema', 'print the JSON Schema of the configuration file, for editors').action((options) =>
  report(async () => ({ json: configSchema, text: JSON.stringify(configSchema, null, 2) }), options),
);

const account = group('account', 'accounts and their money');

leaf(account, 'create <name>', 'open an account')
  .option('--credit <usd>', 'first top-up in USD')
  .option('--force', 'allow a top-up outside $10 to $10,000')
  .option('--retention-days <days>', 'days that results are kept, 0 to 30', '30')
  .option('--log-payloads', 'store what is sent to the model, for as long as results')
  .action(
    beginning((store, name, options) => {
      const { credit, force = false, retentionDays, logPayloads = false } = options;
      return createAccount(store, {
        name,
        credit: credit === undefined ? null : readTopUp(credit, force),
        force,
        retentionDays: readRetentionDays(retentionDays),
        logPayloads,
      });
    }),
  );
leaf(account, 'list', 'list the accounts').action(stored(listAccounts));
leaf(account, 'show <account>', 'show one account').action(stored(showAccount));
leaf(account, 'suspend <account>', 'refuse the requests of an account; running orders finish').action(
  stored((store, id) => changeStatus(store, { id, to: 'suspended' })),
);
leaf(account, 'resume <account>', 'accept the requests of an account again').action(
  stored((store, id) => changeStatus(store, { id, to: 'active' })),
);
leaf(account, 'close <account>', 'revoke the keys of an account and remove its members, for good').action(
  stored(closeAccount),
);
money('credit <account> <usd>', 'add money to an account')
  .option('--force', 'allow a sum outside $10 to $10,000')
  .action(
    stored((store, id, usd, { force = false, ...options }) =>
      creditAccount(store, { ...options, id, amount: readTopUp(usd, force), force }),
    ),
  );
money('refund <account> <usd>', 'give charged money back to an account; needs --order or --reason')
  .option('--order <order>', 'order whose charge is refunded')
  .action(
    stored((store, id, usd, { order, ...options }) => {
      const forOrder = order === undefined ? {} : { orderId: order };
      return refundAccount(store, { ...options, ...forOrder, id, amount: readAmount(usd) });
    }),
  );
money('debit <account> <usd>', 'take back money that no running order holds; needs --reason').action(
  stored((store, id, usd, options) => debitAccount(store, { ...options, id, amount: readAmount(usd) })),
);
leaf(account, 'entries <account>', 'list the newest movements of money')
  .option('--limit <number>', 'how many, 1 to 1000', '100')
  .action(stored((store, id, { limit }) => listEntries(store, { id, limit }, systemClock)));
leaf(
  account,
  'statement <account> <month>',
  'show the statement of a month such as 2026-11, as the owner sees it',
).action(stored((store, id, month) => showStatement(store, { id, month }, systemClock)));
leaf(account, 'update <account>', 'change the defaults of an account')
  .option('--price-limit <model=usd>', 'default price limit per 1M input tokens, repeatable', addLimit)
  .action(
    stored((store, id, { priceLimit = [] }) => {
      const priceLimits = limitsById(loadConfig().listings, priceLimit.map(readPriceLimit));
      return updateAccount(store, { id, priceLimits });
    }),
  );

const key = group('key', 'API keys');

leaf(key, 'create <account>', 'create a key; it is shown only once')
  .option('--name <text>', 'name of the key, shown in lists')
  .option('--price-limit <model=usd>', 'default price limit per 1M input tokens, repeatable', addLimit)
  .option('--budget <usd>', 'what its requests may cost in each period')
  .option('--reset <period>', 'when the budget starts again: day, week or month (UTC); never unless given')
  .option('--expires <when>', 'when it stops working: 2027-01-31, a time, or 90d from now')
  .option('--models <models>', 'the only models that it may use, separated by commas')
  .option('--scopes <scopes>', 'what it may do: inference, read_own, read_all, manage, separated by commas')
  .option('--addresses <addresses>', 'the only addresses and networks that may use it, separated by commas')
  .option('--member <email>', 'member of the account whose removal ends the key')
  .option('--strict <on|off>', 'refuse requests with misspelt fields of the gateway: on or off; off unless given')
  .action(
    stored((store, accountId, { priceLimit = [], ...options }) => {
      const typed = priceLimit.map(readPriceLimit);
      const limits = typed.length === 0 ? {} : limitsById(loadConfig().listings, typed);
      const settings = readKeySettings(options, systemClock, () => loadConfig().listings);
      const activeMax = loadLimits().activeKeysPerAccount;
      return createKey(store, { ...settings, accountId, limits, activeMax }, systemClock);
    }),
  );
leaf(key, 'list <account>', 'list the keys of an account, with what each spent').action(
  stored((store, accountId) => listKeys(store, accountId, systemClock)),
);
leaf(key, 'update <key>', 'change settings of a key, named by its id or by the key itself')
  .option('--name <text>', 'name of the key, shown in lists')
  .option(
    '--price-limit <model=usd>',
    'default price limits per 1M input tokens, in place of all earlier ones',
    addLimit,
  )
  .option('--budget <usd>', 'what its requests may cost in each period; none for any amount')
  .option('--reset <period>', 'when the budget starts again: day, week, month (UTC) or never')
  .option('--expires <when>', 'when it stops working: 2027-01-31, a time, 90d from now, or never')
  .option('--models <models>', 'the only models that it may use, separated by commas; all for every model')
  .option('--scopes <scopes>', 'what it may do, separated by commas; default for what its budget and models imply')
  .option('--addresses <addresses>', 'the only addresses and networks that may use it; any for all')
  .option('--member <email>', 'member of the account whose removal ends the key; none for nobody')
  .option('--strict <on|off>', 'refuse requests with misspelt fields of the gateway: on or off')
  .action(
    stored((store, id, { priceLimit, ...options }) => {
      const settings = readKeySettings(options, systemClock, () => loadConfig().listings);
      const limits =
        priceLimit === undefined
          ? {}
          : { priceLimits: limitsById(loadConfig().listings, priceLimit.map(readPriceLimit)) };
      return updateKey(store, { ...settings, ...limits, key: id }, systemClock);
    }),
  );
leaf(key, 'rotate <key>', 'give a key a new secret, shown only once; its settings stay')
  .option('--overlap <time>', 'how long the former secret still works: 0, 30m, 24h, 7d', '24h')
  .action(
    stored((store, id, { overlap }) => rotateKey(store, { key: id, overlapMs: readDuration(overlap) }, systemClock)),
  );
leaf(key, 'revoke <key>', 'revoke a key, named by its id or by the key itself').action(
  stored((store, keyId) => revokeKey(store, keyId, systemClock)),
);

const member = group('member', 'people who may sign in to the settings and the console');

leaf(member, 'invite <email>', 'make an address a member, and print a link that signs it in once')
  .option('--account <account>', 'the account whose settings it sees')
  .option('--role <role>', 'its role there: owner, developer or viewer (default: owner)')
  .option('--operator <role>', 'instead of an account, its role with the operator: operator, finance or viewer')
  .option('--url <url>', 'where browsers reach the gateway (default: from HOST and PORT)')
  .action(
    beginning((store, email, { url = pagesAddressOf(readEnvironment()), ...options }) =>
      inviteMember(store, { ...options, email, url }),
    ),
  );
leaf(member, 'list', 'list the members')
  .option('--account <account>', 'only those of this account')
  .action(stored((store, options) => listMembers(store, options.account)));
leaf(member, 'log', 'show what people changed, the newest first')
  .option('--account <account>', 'only what concerns this account')
  .option('--limit <number>', 'how many changes', '50')
  .action(stored(showChanges));
leaf(member, 'remove <email>', 'remove a member; its sessions and the keys that it owns end at once').action(
  stored(removeMember),
);

const order = group('order', 'single orders');

leaf(order, 'show <id>', 'show one order, by its id or that of its request, with its life and money').action(
  stored(showOrder),
);
addPodCommands({ group, leaf }, order);
leaf(order, 'request <order>', 'show what was sent to the model, if payloads are kept').action(
  stored((store, id) => showRequest(store, id)),
);

leaf(program, 'payments', 'list payments by card, newest first, and refused events of the provider')
  .option('--account <account>', 'only those of this account')
  .option('--limit <number>', 'how many, 1 to 1000', '100')
  .action(stored(listPayments));

leaf(program, 'reload', 'reload the configuration of the gateways on this machine').action(
  stored((store) => reloadGateways(store, systemClock)),
);

leaf(program, 'cluster', 'show the gateways of the database and the owner of each market').action(stored(showCluster));

leaf(program, 'backup <file>', 'copy the SQLite database and its content into one file, while the gateway runs').action(
  stored(async (store, file) => {
    // Loaded here because no other command packs archives.
    const { writeBackup } = await import('./cli/backup.ts');
    return writeBackup(store, { ...outside(), file, version: ownVersion() });
  }),
);

leaf(program, 'restore <file>', 'restore a backup into an empty database')
  .option('--force', 'restore even if the audit of the backup has findings')
  .action((file, { force = false, ...options }) =>
    report(async () => {
      const { restoreBackup } = await import('./cli/backup.ts');
      return restoreBackup(file, { ...outside(), databaseUrl: readEnvironment().databaseUrl, force });
    }, options),
  );

leaf(program, 'audit', 'prove that entries, holds, orders and charges agree')
  .option('--against-config', 'also check levels and slots against the current configuration')
  .option(
    '--with <folder>',
    'also compare the receipts that clients keep there: .json files, or .jsonl with one a line',
  )
  .option('--acknowledge <id>', 'accept this finding; later audits pass despite it')
  .option('--reason <text>', 'why, for --acknowledge')
  .action(
    stored((store, { againstConfig = false, with: receiptsFolder = null, acknowledge, reason }) => {
      const data = readEnvironment();
      if ((acknowledge === undefined) !== (reason === undefined))
        throw new CommandError('--acknowledge and --reason belong together.');
      const acknowledging = acknowledge === undefined ? null : { id: acknowledge, reason };
      return auditStore(store, { data, config: againstConfig ? loadConfig() : null, acknowledging, receiptsFolder });
    }),
  );

addWebhookCommands({ group, leaf });
addOperatorTokenCommands({ program, group, leaf });
addProofCommands({ program, group, leaf });

leaf(program, 'replay <file>', 'replay a record of market.recording and compare the outcome').action((file, options) =>
  report(async () => {
    // Loaded here because no other command needs a market.
    const { replayRecord } = await import('./cli/replay.ts');
    return replayRecord(file);
  }, options),
);

leaf(
  program,
  'demo',
  'run a market to look at, with a past, traders and a failing pod, in a folder that is deleted at the end',
)
  .option('--port <port>', 'where it listens on this machine; 0 for any free port', '8080')
  .option('--seed <number>', 'seed of its past and its traders', '1')
  .option('--models <number>', 'how many models it sells, 6 to 200', '6')
  .option('--orders <number>', 'how many orders its last 30 days had', '4000')
  .option('--empty', 'without a past and without traders')
  .action(async (options) => {
    // Loaded here because no other command needs the whole gateway and its traders.
    const { runDemo } = await import('./cli/demo.ts');
    await runDemo(options);
  });

leaf(program, 'simulate', 'simulate days of trading, attacks and clusters of gateways; print and draw what must hold')
  .option('--seed <numbers>', 'seeds of the days, separated by commas', '1')
  .option('--only <words>', 'only days whose name contains one of these words, separated by commas')
  .option('--clusters <number>', 'how many small clusters of gateways are simulated with each seed', '1000')
  .option('--search <seconds>', 'for how long attacks are searched with each seed', '300')
  .option('--picture <file>', 'file for the picture', 'simulation.svg')
  .action((options) =>
    report(async () => {
      // Loaded here because no other command needs a market.
      const { simulateDays } = await import('./cli/simulate.ts');
      return simulateDays({ only: '', ...options });
    }, options),
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
    .showHelpAfterError(`(sluice ${words} --help shows its usage)`);
}

function money(usage: string, description: string): Command {
  return leaf(account, usage, description)
    .option('--reason <text>', 'reason, stored with the entry')
    .option('--idempotency-key <key>', 'makes it safe to repeat the command');
}

/** Reports a usage error in the form of all other errors, also with `--json`. */
function refuseUsage(text: string): void {
  refuse(text.replace(/^error: /, '').trimEnd(), { json: process.argv.includes('--json') });
}

/** Only collects the text: the action parses it, so that an error is one sentence. */
function addLimit(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function outside(): BackupOutside {
  return { data: readEnvironment(), clock: systemClock, random: systemRandom };
}
