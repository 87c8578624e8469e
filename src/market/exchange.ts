/**
 * The exchange: every market behind the plain messages of `ports.ts`. It decides who runs next and at which level, and
 * nothing else: it knows no money, no requests and no order states. Synchronous, with the time as an argument, so that
 * a recorded run can be replayed.
 */
import { seededRandom } from '#base/random.ts';
import type { Listing } from './listing.ts';
import { Market, type MarketOptions } from './market.ts';
import type { Command, ExchangeEvent, LevelRow, Release } from './ports.ts';
import { PreviewWalk } from './preview.ts';

/** What an exchange is opened with. */
export interface ExchangeOptions {
  readonly listings: readonly Listing[];
  readonly levelTimeConstantMs: number;
  /** The newest level row of each model, from `LevelStore.latest`: levels and their numbers go on from there. */
  readonly recovered: readonly LevelRow[];
  /** Called for each event, in order, from inside the constructor, `handle` and `tick`. */
  readonly emit: (event: ExchangeEvent) => void;
  readonly nowMs: number;
}

/** All markets. Commands go in by `handle`, events come out by `emit`. */
export class Exchange {
  readonly #markets = new Map<string, Market>();
  readonly #previews: PreviewMarket[] = [];
  /** Accounts whose orders wait for money, in every market. */
  readonly #parked = new Set<string>();

  /** Emits the first level of each market and preview. */
  constructor({ listings, recovered, ...common }: ExchangeOptions) {
    const rows = new Map(recovered.map((row) => [row.model, row]));
    for (const listing of listings) {
      const options = { ...common, listing, recovered: rows.get(listing.id) ?? null, parked: this.#parked };
      if (listing.preview) this.#previews.push(new PreviewMarket(options));
      else this.#markets.set(listing.id, new Market(options));
    }
  }

  /** Does what the desk says. Throws when it names a model that has no market, which the desk must not do. */
  handle(command: Command, nowMs: number): void {
    switch (command.type) {
      case 'rest':
        this.#market(command.model).rest(command, nowMs);
        break;
      case 'withdraw':
        this.#market(command.model).withdraw(command.order, nowMs);
        break;
      case 'reprice':
        this.#market(command.model).reprice(command.order, command.bid, nowMs);
        break;
      case 'release':
        this.#release(command, nowMs);
        break;
      case 'capacity':
        // A preview may have its pods already; their slots are for later.
        this.#markets.get(command.model)?.capacity(command, nowMs);
        break;
      case 'park':
        this.#park(command.account, nowMs);
        break;
      case 'unpark':
        this.#unpark(command.account, nowMs);
    }
  }

  /** Moves every level; to be called once a second. */
  tick(nowMs: number): void {
    for (const market of this.#markets.values()) market.tick(nowMs);
    for (const preview of this.#previews) preview.tick(nowMs);
  }

  /** Places from 1, in the order asked; null where an order is not in a book. */
  positions(model: string, orders: readonly string[]): (number | null)[] {
    const market = this.#markets.get(model);
    return orders.map((order) => market?.position(order) ?? null);
  }

  /** The holder's whole account is parked first, or its next order would take the slot only to be refused in turn. */
  #release(release: Release, nowMs: number): void {
    const market = this.#market(release.model);
    const account = release.reason === 'refused-parked' ? market.holder(release) : null;
    if (account !== null) this.#park(account, nowMs);
    market.release(release, nowMs);
  }

  #park(account: string, nowMs: number): void {
    if (this.#parked.has(account)) return;
    this.#parked.add(account);
    for (const market of this.#markets.values()) market.park(account, nowMs);
  }

  #unpark(account: string, nowMs: number): void {
    if (!this.#parked.delete(account)) return;
    for (const market of this.#markets.values()) market.unpark(account, nowMs);
  }

  #market(model: string): Market {
    const market = this.#markets.get(model);
    if (!market) throw new Error(`there is no market for ${model}`);
    return market;
  }
}

/** A preview's level, told like that of a market; it takes no orders and is never degraded. */
class PreviewMarket {
  readonly #model: string;
  readonly #emit: (event: ExchangeEvent) => void;
  readonly #walk: PreviewWalk;
  #levelSeq: number;
  #eventSeq = 0;

  constructor({ listing, recovered, emit, nowMs }: MarketOptions) {
    this.#model = listing.id;
    this.#emit = emit;
    this.#levelSeq = recovered?.levelSeq ?? 0;
    // The seed moves on with the level's number, so that a restart continues the walk instead of repeating its steps.
    const random = seededRandom(hash(listing.id) + this.#levelSeq);
    this.#walk = new PreviewWalk(listing, recovered?.level ?? null, random, nowMs);
    this.#publish(nowMs);
  }

  tick(nowMs: number): void {
    if (this.#walk.tick(nowMs)) this.#publish(nowMs);
  }

  #publish(atMs: number): void {
    const [model, level, levelSeq, seq] = [this.#model, this.#walk.level, ++this.#levelSeq, ++this.#eventSeq];
    this.#emit({ type: 'level', model, seq, level, levelSeq, degraded: false, atMs });
  }
}

/** A number of 32 bits for a name (FNV-1a). */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(name)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
