/**
 * One market on the gateway that owns it, under one epoch of its lease, which `membership/lease-keeper.ts` takes. It waits until the other gateways have said what
 * they have in it (`market-members.ts`), counts the slots of those that say nothing by the committed rows, and only then
 * lets anything run. What it decides later is in `hosted-market.ts`. docs/decisions/0039.
 */
import { type Clock, pause } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { LocalExchange, type LocalExchangeOptions, type MarketViews } from '#market/exchange/local-exchange.ts';
import { type MarketTerms, marketKind } from '#market/listing.ts';
import type { LevelMoved, LevelRow, RecoveredQuote, Rest } from '#market/ports.ts';
import type { GatewayId, PublishedQuote, ToOwner } from '../messages.ts';
import type { ClusterStore } from '../ports.ts';
import { HostedMarket, type OwnerOptions } from './hosted-market.ts';
import { MarketMembers, type Member } from './market-members.ts';

/** How long after a read of the database that failed it is repeated. */
const RETRY_MS = 500;
/** How many orders enter the book in one turn of the event loop. */
const AT_ONCE = 2_000;
/** Rested seqs that an owner can give in each millisecond of its epoch before they meet those of the next. */
const SEQS_PER_MS = 1_000;

/** The state that a market continues from, read after its lease was taken. */
export interface MarketPast {
  readonly levels: readonly LevelRow[];
  readonly quotes: readonly RecoveredQuote[];
}

/** The options of an exchange that do not depend on what is read from the database. */
export type HostedExchange = Omit<
  LocalExchangeOptions,
  'clock' | 'listings' | 'recovered' | 'recoveredQuotes' | 'restedSeqFrom'
>;

interface MarketHostOptions extends OwnerOptions {
  readonly listing: MarketTerms;
  readonly clock: Clock;
  readonly log: Log;
  readonly exchange: HostedExchange;
  readonly past: () => Promise<MarketPast>;
  readonly store: Pick<ClusterStore, 'slotsHeld'>;
  /** It decides from now on: the capacity of its pods is wanted. */
  readonly opened: () => void;
}

/** The owner's side of one market. */
export class MarketHost {
  readonly #options: MarketHostOptions;
  readonly #members: MarketMembers;
  #listing: MarketTerms;
  #exchange: LocalExchange | null = null;
  #market: HostedMarket | null = null;
  /** Whether everything said before has been taken in. */
  #open = false;
  #closed = false;
  #level: LevelMoved | null = null;
  #quote: PublishedQuote | null = null;

  constructor(options: MarketHostOptions) {
    this.#options = options;
    this.#listing = options.listing;
    this.#members = new MarketMembers(options.self, options.clock);
    this.#begin().catch((error) => {
      options.log.error({ model: options.listing.id, err: error }, 'A market could not be opened.');
      this.#lose();
    });
  }

  get epoch(): number {
    return this.#options.epoch;
  }

  /** When the levels last moved; null before it is open. */
  get tickedAtMs(): number | null {
    return this.#exchange?.tickedAtMs ?? null;
  }

  /** A read-only view of the market; null before it is open. */
  get exchange(): MarketViews | null {
    return this.#exchange;
  }

  /** Other terms of its market, also before it is open. If it is of another kind, all say again what they have. */
  renew(listing: MarketTerms): void {
    const kind = marketKind(this.#listing);
    this.#listing = listing;
    this.#exchange?.send({ type: 'terms', model: listing.id, listing });
    if (marketKind(listing) !== kind) for (const { gateway } of this.#members.all) this.join(gateway);
  }

  /** A session with this gateway has begun. */
  join(gateway: GatewayId): void {
    if (this.#closed) return;
    this.#members.join(gateway);
    const [model, kind] = [this.#listing.id, marketKind(this.#listing)];
    const { epoch, send } = this.#options;
    send(gateway, { type: 'welcome', model, epoch, kind, level: this.#level, quote: this.#quote });
  }

  /** The session has broken, or the gateway was declared dead: what waits leaves the book, what runs keeps its slots. */
  leave(gateway: GatewayId): void {
    if (this.#closed) return;
    this.#members.leave(gateway);
    this.#market?.absent(gateway);
  }

  /** The gateways that are known to the database at this moment, and those of them whose beat is fresh. */
  alive(gateways: readonly GatewayId[], fresh: readonly GatewayId[]): void {
    if (this.#closed) return;
    this.#members.beat(fresh);
    if (this.#open) this.#market?.known(gateways);
  }

  /** Takes a message of a gateway about this market. One of another epoch, or of no member, changes nothing. */
  take(gateway: GatewayId, message: ToOwner): void {
    const member = this.#members.get(gateway);
    if (this.#closed || !member || ('epoch' in message && message.epoch !== this.epoch)) return;
    if (message.type === 'positions?') void this.#answer(member, message);
    else if (this.#open) this.#market?.take(member, message);
    else this.#members.keep(member, message);
  }

  /** Decides nothing more, and resolves when nothing more will be written. */
  async finish(): Promise<void> {
    this.#open = false;
    this.#exchange?.finish();
    await this.#market?.written();
    this.close();
  }

  /** Stops at once. */
  close(): void {
    this.#closed = true;
    this.#members.close();
    this.#exchange?.close();
    this.#market?.close();
  }

  async #begin(): Promise<void> {
    const { store, listing, past } = this.#options;
    const read = this.#untilRead(past);
    await this.#members.complete;
    const recovered = await read;
    const reported = this.#members.all.filter((member) => member.reported);
    const names = reported.map(({ gateway }) => gateway);
    const silent = await this.#untilRead(() => store.slotsHeld(listing.id, names));
    if (this.#closed || !recovered || !silent) return;
    const market = this.#create(recovered);
    // Slots of a market that has become a preview are those of orders that run elsewhere to their end.
    const held = this.#listing.preview ? [] : silent;
    for (const { gateway, ...slot } of held) if (!names.includes(gateway)) market.hold(gateway, slot);
    await this.#fill(market, reported);
    if (this.#closed) return;
    this.#open = true;
    for (const member of this.#members.all) {
      for (const message of member.inbox.splice(0)) this.take(member.gateway, message);
    }
    this.#options.opened();
  }

  /** Slots first, then orders by their place; what gateways said after that follows when the market is open. */
  async #fill(market: HostedMarket, reported: readonly Member[]): Promise<void> {
    const rests: { readonly member: Member; readonly rest: Rest }[] = [];
    for (const member of reported) {
      // The parts of its report, up to the last.
      const end = member.inbox.findIndex((message) => message.type === 'resync' && message.last) + 1;
      for (const part of member.inbox.splice(0, end)) {
        if (part.type !== 'resync') continue;
        for (const slot of part.holds) market.hold(member.gateway, slot);
        for (const rest of part.rests) rests.push({ member, rest });
      }
      // It left after its slots were counted: they stay counted, like those of a gateway that never reported.
      if (!this.#members.has(member)) market.absent(member.gateway);
    }
    rests.sort((one, two) => seqOf(one.rest) - seqOf(two.rest));
    for (let start = 0; start < rests.length && !this.#closed; start += AT_ONCE) {
      if (start > 0) await pause(this.#options.clock, 0);
      for (const { member, rest } of rests.slice(start, start + AT_ONCE)) {
        if (this.#members.has(member)) market.rest(member.gateway, rest, true);
      }
    }
  }

  #create({ levels, quotes }: MarketPast): HostedMarket {
    const { exchange: given, clock, epoch } = this.#options;
    const listing = this.#listing;
    const ofThis = ({ model }: { readonly model: string }) => model === listing.id;
    const exchange = new LocalExchange({
      ...given,
      clock,
      listings: [listing],
      recovered: levels.filter(ofThis),
      recoveredQuotes: quotes.filter(ofThis),
      restedSeqFrom: epoch * SEQS_PER_MS,
    });
    this.#exchange = exchange;
    this.#market = new HostedMarket({
      ...{ ...this.#options, model: listing.id, exchange, members: this.#members },
      published: (event) => {
        if (event.type === 'level') this.#level = event;
        else this.#quote = event;
      },
      onLost: () => this.#lose(),
    });
    return this.#market;
  }

  async #answer(member: Member, { id, model, orders }: Extract<ToOwner, { type: 'positions?' }>): Promise<void> {
    const places = this.#open ? await this.#exchange?.positions(model, orders) : undefined;
    if (!this.#members.has(member)) return;
    this.#options.send(member.gateway, { type: 'positions', id, places: places ?? orders.map(() => null) });
  }

  /** What `read` resolves with, however often it must be tried; null once this is closed. */
  async #untilRead<Answer>(read: () => Promise<Answer>): Promise<Answer | null> {
    while (!this.#closed) {
      try {
        return await read();
      } catch (error) {
        this.#options.log.warn({ model: this.#options.listing.id, err: error }, 'A market waits for the database.');
        await pause(this.#options.clock, RETRY_MS);
      }
    }
    return null;
  }

  #lose(): void {
    if (this.#closed) return;
    this.close();
    this.#options.onLost();
  }
}

function seqOf({ restedSeq }: Rest): number {
  return restedSeq ?? Number.MAX_SAFE_INTEGER;
}
