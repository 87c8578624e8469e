/**
 * The money of one transaction. Each account is locked and read once, changed here in exact integers, and written back
 * once before the commit, so a hot account costs one update per batch instead of one per order. Because the row is locked
 * from the read to the commit the hold is refused unless `balance − held ≥ hold`; the table's own check constraint
 * stands behind it.
 */
import type { NanoUsd } from '#base/money.ts';
import type { Funds } from '#orders/journal-port.ts';
import { dayOf } from '../days.ts';
import { flag, int, money } from '../values.ts';
import { first, run, type Steps } from './steps.ts';

interface Purse {
  balance: NanoUsd;
  held: NanoUsd;
  storedBytes: number;
  readonly house: boolean;
  changed: boolean;
}

interface DayTotal {
  readonly accountId: string;
  readonly day: number;
  readonly model: string;
  requests: number;
  charged: NanoUsd;
}

/** How a hold was answered. parked: only the account's own holds stand in the way. unfunded: nothing does but money. */
export type HoldAnswer = 'executing' | 'parked' | 'unfunded';

const READ_PURSE = 'SELECT balance, held, stored_bytes, house FROM accounts WHERE id = ?';

/** The accounts and the daily totals that a transaction touches. */
export class Till {
  readonly #purses = new Map<string, Purse>();
  readonly #days = new Map<string, DayTotal>();
  readonly #readPurse: string;

  constructor(forUpdate: string) {
    this.#readPurse = READ_PURSE + forUpdate;
  }

  /** Locks and reads accounts, in the order of their ids so that two transactions cannot wait for each other. */
  *open(accountIds: Iterable<string>): Steps<void> {
    for (const id of [...new Set(accountIds)].sort()) {
      const row = yield* first(this.#readPurse, id);
      if (!row) continue;
      const purse = {
        balance: money(row.balance),
        held: money(row.held),
        storedBytes: int(row.stored_bytes),
        house: flag(row.house),
        changed: false,
      };
      this.#purses.set(id, purse);
    }
  }

  /** Sets `hold` aside when the free balance covers it. A house account sets nothing aside and is never refused. */
  hold(accountId: string, hold: NanoUsd): HoldAnswer {
    const purse = this.#purse(accountId);
    if (purse.house) return 'executing';
    if (purse.balance - purse.held < hold) return purse.held > 0n ? 'parked' : 'unfunded';
    purse.held += hold;
    purse.changed ||= hold > 0n;
    return 'executing';
  }

  /** Gives a hold back. */
  release(accountId: string, hold: NanoUsd): void {
    const purse = this.#purse(accountId);
    purse.held -= hold;
    purse.changed ||= hold > 0n;
  }

  /** Releases `hold` and takes as much of `charge` as it and the free balance cover; a house account pays all of it. */
  debit(accountId: string, hold: NanoUsd, charge: NanoUsd): { charged: NanoUsd; house: boolean } {
    this.release(accountId, hold);
    const purse = this.#purse(accountId);
    if (purse.house) return { charged: charge, house: true };
    const free = purse.balance - purse.held;
    const charged = charge < free ? charge : free;
    purse.balance -= charged;
    purse.changed ||= charged > 0n;
    return { charged, house: false };
  }

  /** Counts a body that is kept from now on, or, below 0, one that is not any more. */
  keep(accountId: string, bytes: number): void {
    const purse = this.#purse(accountId);
    purse.storedBytes += bytes;
    purse.changed = true;
  }

  /** Whether the account is the gateway's own. */
  isHouse(accountId: string): boolean {
    return this.#purse(accountId).house;
  }

  /** Counts a settled order in its account's day. */
  countUsage(accountId: string, model: string, atMs: number, charged: NanoUsd): void {
    const day = dayOf(atMs);
    const key = `${accountId}\n${day}\n${model}`;
    const total = this.#days.get(key) ?? { accountId, day, model, requests: 0, charged: 0n };
    total.requests++;
    total.charged += charged;
    this.#days.set(key, total);
  }

  funds(accountId: string): Funds {
    const { balance, held } = this.#purse(accountId);
    return { balance, held };
  }

  /** Writes back what changed. */
  *close(): Steps<void> {
    for (const [id, purse] of this.#purses) if (purse.changed) yield* writePurse(id, purse);
    for (const total of this.#days.values()) yield* addToDay(total);
  }

  #purse(accountId: string): Purse {
    const purse = this.#purses.get(accountId);
    if (!purse) throw new Error(`There is no account ${accountId}.`);
    return purse;
  }
}

function* writePurse(id: string, { balance, held, storedBytes }: Purse): Steps<void> {
  yield run(
    'UPDATE accounts SET balance = ?, held = ?, stored_bytes = ? WHERE id = ?',
    balance,
    held,
    BigInt(storedBytes),
    id,
  );
}

/** The account is locked, so nobody else inserts the same day between the two statements. */
function* addToDay({ accountId, day, model, requests, charged }: DayTotal): Steps<void> {
  const { changes } = yield run(
    `UPDATE usage_days SET requests = requests + ?, charged = charged + CAST(? AS SIGNED)
     WHERE account_id = ? AND day = ? AND model = ?`,
    requests,
    charged,
    accountId,
    day,
    model,
  );
  if (changes > 0) return;
  yield run(
    'INSERT INTO usage_days (account_id, day, model, requests, charged) VALUES (?, ?, ?, ?, ?)',
    accountId,
    day,
    model,
    requests,
    charged,
  );
}
