/**
 * Eviction: an account that stores more than it may loses its oldest items. A key's new results may evict only what
 * that key may delete. So the excess is shared out among those who added it last: a key without the scope `manage`
 * makes room with its own items, the oldest if they are among the account's oldest, else its newest. The others make
 * room with the oldest items of the account. Spec 8; docs/decisions/0064.
 */
import { Fault } from '#base/fault.ts';
import type { Overfull, Retained, RetainedItem } from './ports.ts';

const STEP = 100;
const RETRY_S = 60;

interface EvictionOptions {
  /** Every kind of item that counts towards the cap. */
  readonly retained: readonly Retained[];
  readonly overfull: Overfull;
  /** Returns the given keys that may delete only what they made. */
  readonly narrowAmong: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly storedBytes: (accountId: string) => Promise<number>;
  /** How many bytes one account may keep. */
  readonly storedBytesMax: () => number;
}

/** An item, and the kind that deletes it. */
interface Due {
  readonly retained: Retained;
  readonly item: RetainedItem;
}

/** The account and key that store something. */
export interface Writer {
  readonly accountId: string;
  readonly keyId: string | null;
  /** Whether its key may delete only what it made; absent: no. */
  readonly evictsOwn?: boolean;
}

/** Keeps what each account stores below the cap. */
export class Eviction {
  readonly #options: EvictionOptions;

  constructor(options: EvictionOptions) {
    this.#options = options;
  }

  /**
   * For what will be stored for this writer, of a size that nobody knows yet: throws rate_limit_error where the account
   * stores as much as it may, and what would go first was made by others and may not be deleted by this key.
   */
  async requireRoom({ accountId, keyId, evictsOwn }: Writer): Promise<void> {
    if (!evictsOwn) return;
    const { storedBytes, storedBytesMax } = this.#options;
    if ((await storedBytes(accountId)) < storedBytesMax()) return;
    const [first] = await this.#oldest(accountId);
    if (first?.item.keyId !== keyId) throw ownRoomOnly();
  }

  /**
   * Evicts from up to `STEP` accounts above the cap, until `stopped`. Returns the accounts from which something was
   * evicted.
   */
  async step(stopped: () => boolean): Promise<readonly string[]> {
    const { overfull, storedBytesMax } = this.#options;
    const max = storedBytesMax();
    const evicted: string[] = [];
    for (const { accountId, bytes } of await overfull(max, STEP)) {
      const debts = await this.#debts(accountId, bytes - max);
      if (await this.#evict(accountId, debts, stopped)) evicted.push(accountId);
    }
    return evicted;
  }

  /** The keys that added the last `excess` bytes, and must make room for them. */
  async #debts(accountId: string, excess: number): Promise<Debts> {
    const added = new Map<string | null, number>();
    let left = excess;
    for await (const { item } of this.#newest(accountId)) {
      const bytes = Math.min(item.bytes, left);
      added.set(item.keyId, (added.get(item.keyId) ?? 0) + bytes);
      left -= bytes;
      if (left === 0) break;
    }
    const narrow = await this.#options.narrowAmong([...added.keys()].filter((key) => key !== null));
    return new Debts(excess, new Map([...added].filter(([key]) => key !== null && narrow.has(key))));
  }

  /** True when something was evicted. */
  async #evict(accountId: string, debts: Debts, stopped: () => boolean): Promise<boolean> {
    let before = new Set<string>();
    while (!stopped()) {
      const due = (await this.#oldest(accountId)).filter(({ item }) => debts.takes(item));
      // An item that stays listed although it was deleted would be next for ever.
      if (due.every(({ item }) => before.has(item.id))) break;
      await remove(due);
      before = new Set(due.map(({ item }) => item.id));
    }
    let fromNewest = false;
    for await (const due of this.#newest(accountId)) {
      if (stopped() || !debts.ofKeys) break;
      if (!debts.takesOwn(due.item)) continue;
      await remove([due]);
      fromNewest = true;
    }
    return fromNewest || before.size > 0;
  }

  /** Up to `STEP` of the oldest items that may be deleted. */
  async #oldest(accountId: string): Promise<Due[]> {
    const kinds = this.#options.retained.map(async (retained) =>
      (await retained.oldest(accountId, STEP)).map((item) => ({ retained, item })),
    );
    // Items beyond STEP may be newer than items of another kind that were not read yet.
    return (await Promise.all(kinds))
      .flat()
      .sort((one, other) => one.item.sinceMs - other.item.sinceMs)
      .slice(0, STEP);
  }

  /** Every item of the account, the newest first. */
  async *#newest(accountId: string): AsyncGenerator<Due> {
    const heads = await Promise.all(
      this.#options.retained.map(async (retained) => {
        const items = inPages(retained, accountId);
        const next = async (): Promise<RetainedItem | undefined> => (await items.next()).value;
        return { retained, next, item: await next() };
      }),
    );
    for (;;) {
      const [head] = heads.sort((one, other) => (other.item?.sinceMs ?? -1) - (one.item?.sinceMs ?? -1));
      if (!head?.item) return;
      yield { retained: head.retained, item: head.item };
      head.item = await head.next();
    }
  }
}

/** How much room is still to be made: by keys with their own items, and the rest with anything. */
class Debts {
  #left: number;
  readonly #ofKeys: Map<string | null, number>;

  constructor(left: number, ofKeys: Map<string | null, number>) {
    this.#left = left;
    this.#ofKeys = ofKeys;
  }

  /** The bytes for which keys must make room with items of their own. */
  get ofKeys(): number {
    return Math.min(this.#left, sum(this.#ofKeys.values()));
  }

  /** Whether the item is evicted: for its own key that must make room, or for any item of the account. */
  takes(item: RetainedItem): boolean {
    if (this.takesOwn(item)) return true;
    return this.#left - this.ofKeys > 0 && this.#taken(item);
  }

  /** Whether it goes as one of a key that must make room. */
  takesOwn(item: RetainedItem): boolean {
    const debt = this.#ofKeys.get(item.keyId) ?? 0;
    if (debt <= 0 || this.#left <= 0) return false;
    this.#ofKeys.set(item.keyId, Math.max(0, debt - item.bytes));
    return this.#taken(item);
  }

  #taken({ bytes }: RetainedItem): true {
    this.#left -= bytes;
    return true;
  }
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

async function* inPages(retained: Retained, accountId: string): AsyncGenerator<RetainedItem> {
  for (let after: RetainedItem | null = null; ; ) {
    const page: RetainedItem[] = await retained.newest(accountId, { limit: STEP, after });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < STEP) return;
  }
}

/** Deletes the items. */
export async function remove(due: readonly Due[]): Promise<void> {
  await Promise.all(due.map(({ retained, item }) => retained.remove(item)));
}

/** The fault for storing something that would evict items of other keys. */
export function ownRoomOnly(): Fault {
  const message =
    'This account stores as much as it may, and this API key may not replace what others made. Delete files or results first.';
  return new Fault('rate_limit_error', { message, retryAfterS: RETRY_S });
}
