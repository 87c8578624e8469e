/**
 * Balances and holds in one transaction. Each account is row-locked and read once, changed here in exact integers, and
 * written back once before the commit, so a hot account costs one update per transaction instead of one per order. As
 * its row is locked from the read to the commit, a hold is granted only if `balance − held ≥ hold`; a check constraint
 * of the table guarantees it too.
 */
import type { NanoUsd } from '#base/money.ts';
import type { Funds, SettleUnit } from '#orders/units.ts';
import { dayOf } from '../database/periods.ts';
import { bit, flag, int, money, type Row, text, type Value } from '../database/values.ts';
import type { AccountState, KnownAccounts } from './known-accounts.ts';
import { Lookup } from './lookup.ts';
import { type Operation, upsert } from './operations.ts';
import { Sums } from './sums.ts';
import { Table } from './table.ts';
import { WANTS } from './webhook-event.ts';

interface AccountBalance extends AccountState {
  balance: NanoUsd;
  held: NanoUsd;
  storedBytes: number;
  changed: boolean;
}

/** The outcome of a hold. parked: only the account's own holds are in the way. unfunded: the balance is too small. */
export type HoldAnswer = 'executing' | 'parked' | 'unfunded';

const KNOWN = ['balance', 'held', 'owed', 'stored_bytes', 'house', 'webhooks'];
const ACCOUNTS = new Table('accounts', ['id'], { reads: ['id', ...KNOWN] });
const CHANGED = ['balance', 'held', 'stored_bytes'];
const WRITE = ACCOUNTS.set(CHANGED, []);
const WRITE_CHECKED = ACCOUNTS.set(CHANGED, KNOWN);
const ADD_TO_DAY = upsert('add', 'usage_days', ['account_id', 'day', 'model', 'key_id'], ['requests', 'charged']);

/** The accounts and the daily totals that a transaction changes. */
export class BalanceBatch extends Lookup {
  readonly #accounts = new Map<string, AccountBalance>();
  readonly #days = new Sums(ADD_TO_DAY);
  /** Accounts that were not read, as they are thought to be. */
  readonly #relied = new Map<string, AccountState>();

  constructor() {
    super(ACCOUNTS.read);
  }

  /** Takes every requested account from the `known` ones. False, and nothing taken, when one must be read. */
  rely(known: KnownAccounts): boolean {
    const relied: [id: string, state: AccountState][] = [];
    for (const id of [...this.wanted].sort()) {
      const state = known.get(id);
      // Which endpoints receive an order may depend on its key, which must be read.
      if (!state || state.wants & WANTS.orders) return false;
      relied.push([id, state]);
    }
    for (const [id, state] of relied) {
      this.#relied.set(id, state);
      this.#accounts.set(id, { ...state, changed: false });
    }
    this.wanted.clear();
    return true;
  }

  /** The accounts as this transaction leaves them. */
  left(): Iterable<readonly [id: string, state: AccountState]> {
    return this.#accounts;
  }

  /** An account as the database has it. */
  take(row: Row): void {
    this.#accounts.set(text(row.id), {
      balance: money(row.balance),
      held: money(row.held),
      owed: money(row.owed),
      storedBytes: int(row.stored_bytes),
      house: flag(row.house),
      wants: int(row.webhooks),
      changed: false,
    });
  }

  /** Sets `hold` aside when the free balance covers it. For a house account nothing is held and nothing refused. */
  hold(accountId: string, hold: NanoUsd): HoldAnswer {
    const account = this.#account(accountId);
    if (account.house) return 'executing';
    if (account.balance - account.owed - account.held < hold) return account.held > 0n ? 'parked' : 'unfunded';
    account.held += hold;
    account.changed ||= hold > 0n;
    return 'executing';
  }

  /** Releases a hold. */
  release(accountId: string, hold: NanoUsd): void {
    const account = this.#account(accountId);
    account.held -= hold;
    account.changed ||= hold > 0n;
  }

  /**
   * Releases `hold` and debits `charge`, at most the hold plus the free balance that is not owed; a house account pays
   * all of it.
   */
  debit(accountId: string, hold: NanoUsd, charge: NanoUsd): { charged: NanoUsd; house: boolean } {
    const account = this.#account(accountId);
    const free = account.balance - account.held - account.owed;
    this.release(accountId, hold);
    if (account.house) return { charged: charge, house: true };
    const cover = hold + (free > 0n ? free : 0n);
    const charged = charge < cover ? charge : cover;
    account.balance -= charged;
    account.changed ||= charged > 0n;
    return { charged, house: false };
  }

  /** Counts a result or a file that is stored from now on or, with negative `bytes`, that no longer is. */
  keep(accountId: string, bytes: number): void {
    const account = this.#account(accountId);
    account.storedBytes += bytes;
    account.changed = true;
  }

  /** Whether the account is the gateway's own. */
  isHouse(accountId: string): boolean {
    return this.#account(accountId).house;
  }

  /** The bits of events that its webhook endpoints subscribe to; 0 for none. */
  wants(accountId: string): number {
    return this.#account(accountId).wants;
  }

  /** Counts a settled order in the daily totals of its account, by model and key. */
  countUsage({ accountId, keyId, model, finishedAtMs }: SettleUnit, charged: NanoUsd): void {
    this.#days.add([accountId, dayOf(finishedAtMs), model, keyId ?? ''], [1, charged]);
  }

  funds(accountId: string): Funds {
    return fundsAfterDebt(this.#account(accountId));
  }

  /** Writes back what changed, and checks what was relied on: either locks the accounts in the order of their ids. */
  *writes(): Generator<Operation> {
    const rows: Value[][] = [];
    for (const [id, { balance, held, storedBytes, changed }] of this.#accounts) {
      const relied = this.#relied.get(id);
      if (changed || relied) rows.push([balance, held, BigInt(storedBytes), id, ...(relied ? valuesOf(relied) : [])]);
    }
    if (rows.length > 0) yield { shape: this.#relied.size > 0 ? WRITE_CHECKED : WRITE, rows };
    yield* this.#days.writes();
  }

  #account(accountId: string): AccountBalance {
    const account = this.#accounts.get(accountId);
    if (!account) throw new Error(`There is no account ${accountId}.`);
    return account;
  }
}

function valuesOf({ balance, held, owed, storedBytes, house, wants }: AccountState): Value[] {
  return [balance, held, owed, storedBytes, bit(house), wants];
}

/** What an account may spend: the balance less what it owes, but at least what is held. */
export function fundsAfterDebt({ balance, held, owed }: Funds & { readonly owed: NanoUsd }): Funds {
  return { balance: balance - held > owed ? balance - owed : held, held };
}
