/** Declares the commands that prove something to others: `signing-key …`, `verify` and `conformance`. */
import type { Command } from 'commander';
import { systemClock } from '#base/clock.ts';
import { readEnvironment } from '#config/environment.ts';
import { SigningKeyStore } from '#signing/key-store.ts';
import { newSigningKey, signingKeyFrom } from '#signing/signing-key.ts';
import { type OperatorStore, stored } from './operator-store.ts';
import { CommandError, type CommandResult, report, table, timeText } from './output.ts';

/** How `cli.ts` declares commands. */
export interface CommandLine {
  readonly program: Command;
  readonly group: (name: string, description: string) => Command;
  readonly leaf: (parent: Command, usage: string, description: string) => Command;
}

/** Adds the commands. */
export function addProofCommands({ program, group, leaf }: CommandLine): void {
  const signingKey = group('signing-key', 'keys that sign receipts');
  const own = () => ({ own: readEnvironment().receiptSigningKey });
  leaf(signingKey, 'list', 'list the keys; all of them stay public').action(
    stored((store) => listSigningKeys(store, own())),
  );
  leaf(signingKey, 'rotate', 'sign with a new key from now on; earlier receipts still verify').action(
    stored((store) => rotateSigningKey(store, own())),
  );

  leaf(program, 'verify [receipt]', 'verify a signed receipt (a file, or - for standard input), or published prices')
    .option('--jwks <file-or-url>', 'the public keys: a saved /.well-known/jwks.json, or its address')
    .option('--issuer <name>', 'the issuer that must have signed it (default: the one that the keys name)')
    .option('--chain <url>', 'the gateway whose published prices are verified, or compared with the receipt')
    .option('--model <model>', 'the market whose prices are verified (default: that of the default model)')
    .option('--from <time>', 'start of the verified time (default: a day before --to)')
    .option('--to <time>', 'end of the verified time (default: now)')
    .action((receipt, options) =>
      report(async () => {
        // Loaded here because no other command needs a signature.
        const { verify } = await import('./verify.ts');
        return verify(receipt, options, systemClock.nowMs());
      }, options),
    );

  leaf(program, 'conformance <url> <key>', 'check from outside whether a gateway keeps the specification')
    .option('--model <model>', 'the model that is asked (default: the default model there, or the first)')
    .option('--price-limit <usd>', 'what each request bids (default on a market: twice the level, at least 1)')
    .option('--header <lines...>', 'additional headers, such as a router needs, each as name: value')
    .option('--verbose', 'print a line for every check')
    .addHelpText('after', '\nSome 350 small requests are sent in two minutes at most. The key pays them.')
    .action((url, key, options) =>
      report(async () => {
        // Loaded here because no other command checks a gateway.
        const { checkConformance } = await import('./conformance.ts');
        return checkConformance(url, key, options, options.json ? () => {} : (line) => console.log(line));
      }, options),
    );
}

/** `signing-key list`: every key, the newest first, and which one signs. */
export async function listSigningKeys(
  { db }: OperatorStore,
  { own }: { readonly own: string | null },
): Promise<CommandResult> {
  const keys = await new SigningKeyStore(db).list();
  const ownKid = own === null ? null : signingKeyFrom(own)?.kid;
  const signs = ownKid ?? keys.find(({ privateKey }) => privateKey !== null)?.kid;
  const rows = keys.map(({ kid, privateKey, createdAtMs }) => ({
    kid,
    created_at: new Date(createdAtMs).toISOString(),
    signs: kid === signs,
    private_half: privateKey === null ? 'environment' : 'database',
  }));
  const text =
    rows.length === 0
      ? 'There is no key yet: the first receipt that is asked for makes one.'
      : table(
          ['key', 'made', 'private half', 'signs'],
          rows.map((row) => [row.kid, timeText(Date.parse(row.created_at)), row.private_half, row.signs ? 'yes' : '']),
        );
  return { json: { keys: rows }, text };
}

/** `signing-key rotate`: a new key, which signs from now on. Throws CommandError while the environment has the key. */
export async function rotateSigningKey(
  { db }: OperatorStore,
  { own }: { readonly own: string | null },
): Promise<CommandResult> {
  if (own !== null)
    throw new CommandError(
      'RECEIPT_SIGNING_KEY says which key signs; put a new key there, and restart the gateways. The present one stays public.',
    );
  const key = newSigningKey(systemClock.nowMs());
  await new SigningKeyStore(db).add(key);
  return { json: { kid: key.kid }, text: `Receipts are signed with ${key.kid} from now on. Earlier keys stay public.` };
}
