/** The operator of a hostile soak: tops up, gives out and revokes keys, suspends and resumes, while everything else runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import type { Site } from '#testing/gateway-process.ts';
import type { RunAccount } from '../../harness/accounts.ts';
import { between, name, pick } from '../../harness/chance.ts';
import type { Client } from '../../harness/client.ts';
import { count, type Ledger } from '../../harness/ledger.ts';
import { type SoakAccounts, TINY_USD } from './accounts.ts';

/** What the operator works with. */
export interface OperatorOptions {
  readonly command: Site['command'];
  readonly accounts: SoakAccounts;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly random: Random;
  isOver(): boolean;
}

/** How long after a revocation or a suspension the gateway may still accept a request. */
const NOTICE_MS = 3000;
const TRIES_MAX = 20;
const NANO = 1e9;

/** What is there twice is done twice as often. */
const ACTS = [
  { act: 'top-up of a tiny balance', perform: topUp },
  { act: 'top-up of a tiny balance', perform: topUp },
  { act: 'key replaced and revoked', perform: rotate },
  { act: 'account suspended and resumed', perform: suspend },
] as const;

/** Does one thing after another until the soak is over; leaves every account able to order. */
export async function operate(options: OperatorOptions): Promise<void> {
  while (!options.isOver()) {
    await sleep(between(options.random, 2000, 9000));
    const { act, perform } = pick(options.random, ACTS);
    count(options.ledger.acts, act);
    await perform(options);
  }
}

async function topUp(options: OperatorOptions): Promise<void> {
  const { tiny } = options.accounts;
  await run(options, 'account', 'credit', tiny.id, TINY_USD, '--force', '--idempotency-key', name(options.random));
  tiny.creditedNano += Math.round(Number(TINY_USD) * NANO);
}

async function rotate(options: OperatorOptions): Promise<void> {
  const { rotating } = options.accounts;
  const old = { ...rotating };
  const key = await run(options, 'key', 'create', rotating.id);
  rotating.apiKey = String(key.api_key);
  rotating.keyId = String(key.key_id);
  await run(options, 'key', 'revoke', old.keyId);
  await sleep(NOTICE_MS);
  await mustBe(options, old, 401);
}

async function suspend(options: OperatorOptions): Promise<void> {
  const { suspended } = options.accounts;
  await run(options, 'account', 'suspend', suspended.id);
  await sleep(NOTICE_MS);
  await mustBe(options, suspended, 403);
  await sleep(between(options.random, 0, 5000));
  await run(options, 'account', 'resume', suspended.id);
}

/** Runs a command until it succeeds: the database may be paused. */
async function run({ command, ledger }: OperatorOptions, ...args: string[]): Promise<Record<string, unknown>> {
  for (let tries = 1; ; tries++) {
    const outcome = await command(...args).catch((error: unknown) => ({ exitCode: 1, json: { error: String(error) } }));
    if (outcome.exitCode === 0) return outcome.json;
    ledger.note({ command: args, ...outcome });
    count(ledger.acts, 'repeated command');
    if (tries === TRIES_MAX) throw new Error(`sluice ${args.join(' ')}: ${JSON.stringify(outcome.json)}`);
    await sleep(1000);
  }
}

/** A caller who may not call is refused with this status, whenever the gateway answers. */
async function mustBe({ client, ledger, isOver }: OperatorOptions, caller: RunAccount, status: number): Promise<void> {
  const answer = await client.ask(caller, '/v1/account', { passing: [503], isOver });
  if (answer && answer.status !== status)
    ledger.found(`operator: ${caller.account} should be refused with ${status} and was answered ${answer.status}`);
}
