/** The accounts of the demo with their keys, credit and members, made by the stores that an operator's commands use. */
import assert from 'node:assert';
import { COMMAND_LINE } from '#access/member.ts';
import type { KeySettings } from '#access/principal.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { type Movement, Transfers } from '#accounts/ledger/transfers.ts';
import { Members } from '#accounts/members/member-store.ts';
import type { OperatorOptions } from '#storage/database/database.ts';

/** A key of an account. */
export interface DemoKey {
  readonly id: string;
  readonly secret: string;
  /** Whether its orders count in a budget. */
  readonly budgeted: boolean;
}

/** An account of the demo. */
export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  /** The first is the one that live traders use; it has no budget. */
  readonly keys: readonly [DemoKey, ...DemoKey[]];
}

const CREDIT = 500_000_000_000n;
/** Far more than a demo spends in a month; `settleBudgets` lowers it. */
const OPEN_BUDGET = 100_000_000_000_000n;

const ACCOUNTS: readonly { readonly name: string; readonly keys: readonly KeySettings[] }[] = [
  {
    name: 'Tidewater Labs',
    keys: [
      { name: 'production' },
      { name: 'nightly evaluation', budget: OPEN_BUDGET, reset: 'month' },
      { name: 'laptop', budget: OPEN_BUDGET, reset: 'week' },
    ],
  },
  { name: 'Northwind Search', keys: [{ name: 'crawler' }, { name: 'answers' }] },
  { name: 'Quay Robotics', keys: [{ name: 'fleet' }] },
];

/** Which part of its budget a key has spent when the demo begins. */
const SPENT_SHARE = 0.92;
/** What a budget is at least: a cent. */
const BUDGET_MIN = 10_000_000n;

/** Opens the accounts, with their keys and without money. The first one is the buyer's. */
export async function openDemoAccounts(parts: OperatorOptions): Promise<readonly [DemoAccount, ...DemoAccount[]]> {
  const [accounts, keys] = [new Accounts(parts), new Keys(parts)];
  const opened: DemoAccount[] = [];
  for (const { name, keys: wishes } of ACCOUNTS) {
    const { id } = await accounts.create({ name }, COMMAND_LINE);
    const made: DemoKey[] = [];
    for (const wish of wishes) {
      const { key, secret } = await keys.create(id, wish, COMMAND_LINE);
      made.push({ id: key.id, secret, budgeted: wish.budget !== undefined });
    }
    const [first, ...others] = made;
    assert(first, 'every account has a key');
    opened.push({ id, name, keys: [first, ...others] });
  }
  const [buyer, ...others] = opened;
  assert(buyer, 'there are accounts');
  return [buyer, ...others];
}

/** Adds $500 to an account. The same `idempotencyKey` adds nothing a second time. */
export async function credit(parts: OperatorOptions, { id }: DemoAccount, details: Movement): Promise<void> {
  await new Transfers(parts).credit(id, CREDIT, details, COMMAND_LINE);
}

/** Sets each budget so that most of it is spent. */
export async function settleBudgets(parts: OperatorOptions, accounts: readonly DemoAccount[]): Promise<void> {
  const keys = new Keys(parts);
  for (const { id } of accounts)
    for (const { id: key, budget } of await keys.list(id)) {
      if (!budget || budget.amount === null) continue;
      const amount = BigInt(Math.ceil(Number(budget.spent) / SPENT_SHARE));
      const settings = { budget: amount < BUDGET_MIN ? BUDGET_MIN : amount };
      await keys.update({ accountId: id, id: key }, settings, COMMAND_LINE);
    }
}

/** The tokens of links that sign in, each once, as an owner of the buyer's account and as an operator. */
export async function inviteMembers(
  parts: OperatorOptions,
  buyer: DemoAccount,
): Promise<{ buyer: string; operator: string }> {
  const members = new Members(parts);
  const owner = await members.invite('buyer@tidewater.example', { accountId: buyer.id, role: 'owner' }, COMMAND_LINE);
  await members.invite('developer@tidewater.example', { accountId: buyer.id, role: 'developer' }, COMMAND_LINE);
  const operator = await members.invite('operator@sluice.example', { accountId: null, role: 'operator' }, COMMAND_LINE);
  assert(owner.link && operator.link, 'the operator makes links for everybody');
  return { buyer: owner.link.token, operator: operator.link.token };
}
