/** The owner's side of a market, for tests of what it counts as taken and what it tells whom. */
import assert from 'node:assert/strict';
import { silentLog } from '#base/log.ts';
import { MarketHost } from '#cluster/markets/market-host.ts';
import type { FromOwner, GatewayId, Resync } from '#cluster/messages.ts';
import type { Written } from '#market/exchange/event-writer.ts';
import type { Listing } from '#market/listing.ts';
import type { Command, HeldSlot, MarketEvent, Rest } from '#market/ports.ts';
import { marketListing, someQuotes } from './listings.ts';
import { ManualClock } from './manual-clock.ts';

export const MODEL = 'tide-70b';
export const EPOCH = 50;
export const SELF = 1;

/** A market at its owner, gateway 1; the test plays the others, the network and the database. */
export class HostBench {
  readonly clock = new ManualClock();
  readonly said: { readonly to: GatewayId; readonly message: FromOwner }[] = [];
  readonly asked: GatewayId[][] = [];
  readonly host: MarketHost;
  /** Slots by the rows. */
  rows: (HeldSlot & { gateway: GatewayId })[] = [];
  lost = 0;
  opened = 0;
  reads = 0;
  failures: number;
  /** While set, nothing commits. */
  #paused: (() => void)[] | null = null;
  outcome: Written = 'committed';
  readonly written: MarketEvent[] = [];

  /** `failures`: how often the past cannot be read. */
  constructor(failures = 0, listing: Listing = marketListing()) {
    this.failures = failures;
    this.host = new MarketHost({
      ...{ self: SELF, listing, epoch: EPOCH, clock: this.clock, log: silentLog },
      exchange: { quotes: someQuotes().quotes, random: someQuotes().random, levelTimeConstantMs: 20_000 },
      past: async () => {
        this.reads++;
        if (this.failures-- > 0) throw new Error('planted');
        const level = { model: MODEL, levelSeq: 7, level: 4e9, atMs: 0 };
        return { levels: [level, { ...level, model: 'other', levelSeq: 9 }], quotes: [] };
      },
      store: {
        slotsHeld: async (_model, reported) => {
          this.asked.push([...reported]);
          return this.rows.filter(({ gateway }) => !reported.includes(gateway));
        },
      },
      write: (event) => {
        this.written.push(event);
        const { promise, resolve } = Promise.withResolvers<Written>();
        const commit = () => resolve(this.outcome);
        if (this.#paused) this.#paused.push(commit);
        else commit();
        return promise;
      },
      send: (to, message) => void this.said.push({ to, message }),
      opened: () => {
        this.opened++;
        this.command(SELF, { type: 'capacity', model: MODEL, pod: 'pod', slots: 2, healthy: true });
      },
      onLost: () => this.lost++,
    });
  }

  pause(): void {
    this.#paused = [];
  }

  async resume(): Promise<void> {
    const commits = this.#paused ?? [];
    this.#paused = null;
    for (const commit of commits) commit();
    await this.clock.advance(0);
  }

  /** What the gateways were told about orders, and the levels. */
  told(to: GatewayId): string[] {
    return this.said.flatMap((each) => {
      if (each.to !== to || each.message.type !== 'event') return [];
      const { event } = each.message;
      if (event.type === 'quote' || event.type === 'locks') return [];
      return [event.type === 'level' ? `level ${event.levelSeq}` : `${event.type} ${event.order}`];
    });
  }

  orders(to: GatewayId): string[] {
    return this.told(to).filter((what) => !what.startsWith('level'));
  }

  command(from: GatewayId, command: Command, epoch = EPOCH): void {
    this.host.take(from, { type: 'command', epoch, model: MODEL, command });
  }

  rest(from: GatewayId, order: string, change: Partial<Rest> = {}): void {
    this.command(from, restOf(order, change));
  }

  release(from: GatewayId, order: string): void {
    this.command(from, { type: 'release', model: MODEL, order, attempt: 1, pod: 'pod', reason: 'finished' });
  }

  report(from: GatewayId, has: Partial<Resync> = {}): void {
    this.host.take(from, resyncOf(has));
  }

  /** Opens with these gateways, of which each has nothing. */
  async open(...others: GatewayId[]): Promise<void> {
    this.host.alive([SELF, ...others], [SELF, ...others]);
    for (const gateway of [SELF, ...others]) {
      this.host.join(gateway);
      this.report(gateway);
    }
    await this.clock.advance(0);
  }

  async positions(from: GatewayId, ...orders: string[]): Promise<readonly (number | null)[]> {
    this.host.take(from, { type: 'positions?', id: 1, model: MODEL, orders });
    await this.clock.advance(0);
    const answer = this.said.findLast(({ message }) => message.type === 'positions')?.message;
    assert.ok(answer?.type === 'positions');
    return answer.places;
  }
}

/** A new order of an account of its own. */
export function restOf(order: string, change: Partial<Rest> = {}): Rest {
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  return { type: 'rest', model: MODEL, order, account: order, bid: 3e9, ...first, ...change };
}

/** A slot that an order holds. */
export function held(order: string, change: Partial<HeldSlot> = {}): HeldSlot {
  const slot = { model: MODEL, order, account: order, attempt: 1, pod: 'pod', bid: 3e9, restedSeq: 5, house: false };
  return { ...slot, ...change };
}

/** What a gateway has, by default nothing. */
export function resyncOf(has: Partial<Resync>): Resync {
  return { type: 'resync', model: MODEL, epoch: EPOCH, rests: [], holds: [], last: true, ...has };
}
