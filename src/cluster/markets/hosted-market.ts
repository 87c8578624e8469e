/**
 * A market that decides, with the orders of several gateways in it: what each of them says goes to the exchange, and
 * what the exchange says to the gateway that it concerns. An order belongs to the gateway that named it last, so a
 * gateway that adopts orders takes them over by naming them. The exchange handles each command before the next one is
 * looked at: `orders` is always what the exchange has.
 */
import { isMarketEvent, type Written } from '#market/exchange/event-writer.ts';
import type { LocalExchange } from '#market/exchange/local-exchange.ts';
import type { Command, HeldSlot, LevelMoved, MarketEvent, OrderEvent, Release, Rest } from '#market/ports.ts';
import type { FromOwner, GatewayId, PublishedQuote, Resync, ToOwner } from '../messages.ts';
import type { MarketMembers, Member } from './market-members.ts';

/** What the owner of a market is made of. */
export interface OwnerOptions {
  readonly self: GatewayId;
  /** A time in milliseconds as well, so that rested seqs rise from owner to owner. */
  readonly epoch: number;
  /** Writes an event under the epoch. Called in the order of the events; never rejects. */
  readonly write: (event: MarketEvent, epoch: number) => Promise<Written>;
  /** Sends to a gateway that has joined, this one included. */
  readonly send: (to: GatewayId, message: FromOwner) => void;
  /** A write found another owner, or failed: this gateway decides nothing in the market any more. */
  readonly onLost: () => void;
}

interface HostedMarketOptions extends OwnerOptions {
  readonly model: string;
  readonly exchange: LocalExchange;
  readonly members: MarketMembers;
  /** A level or a quote has committed. */
  readonly published: (event: LevelMoved | PublishedQuote) => void;
}

/** The orders of all gateways in one market. */
export class HostedMarket {
  readonly #options: HostedMarketOptions;
  readonly #orders = new HostedOrders();
  readonly #outbox = new AfterCommit();
  readonly #pending = new Set<Promise<Written>>();
  /** Gateways with slots that the database did not know at the last beat. */
  #missing = new Set<GatewayId>();
  /** Whose command is being handled: an answer about an order that is not here is for this one. */
  #asker: GatewayId;
  /** An order whose gateway knows its place and needs no answer. */
  #quietOrder: string | null = null;
  #closed = false;

  constructor(options: HostedMarketOptions) {
    this.#options = options;
    this.#asker = options.self;
    options.exchange.listen((event) => {
      if (this.#closed) return;
      if (isMarketEvent(event)) this.#recordMarketEvent(event);
      else this.#sendOrderEvent(event);
    });
    options.exchange.flush();
  }

  take(member: Member, message: Exclude<ToOwner, { type: 'positions?' }>): void {
    if (message.type === 'resync') this.#resync(member, message);
    else if (member.reported) this.#command(member.gateway, message.command);
  }

  /** An order of the gateway waits. `known`: the gateway knows its place, and needs no answer. */
  rest(gateway: GatewayId, rest: Rest, known: boolean): void {
    const before = this.#orders.get(rest.order);
    if (before) this.#remove(before, before.slot?.attempt === rest.attempt ? 'refused' : 'finished');
    this.#orders.set({ id: rest.order, gateway, slot: null });
    this.#quietOrder = known && rest.restedSeq !== null ? rest.order : null;
    this.#say(rest);
    this.#quietOrder = null;
  }

  /** An order of the gateway holds a slot. */
  hold(gateway: GatewayId, { attempt, pod, ...held }: HeldSlot): void {
    const before = this.#orders.get(held.order);
    const isSame = before?.slot?.attempt === attempt && before.slot.pod === pod;
    if (before && !isSame) this.#remove(before, 'finished');
    this.#orders.set({ id: held.order, gateway, slot: { attempt, pod } });
    if (!isSame) this.#say({ type: 'hold', attempt, pod, ...held });
  }

  /** The gateway cannot be reached: its waiting orders could not be run, and its running ones go on. */
  absent(gateway: GatewayId): void {
    for (const order of this.#orders.of(gateway)) if (!order.slot) this.#remove(order, 'refused');
  }

  /**
   * These gateways are known to the database: another has no orders, also none that its adopter has not ended. Read
   * twice, because the first read can be older than the gateway.
   */
  known(gateways: readonly GatewayId[]): void {
    const isGone = (gateway: GatewayId) => !gateways.includes(gateway) && !this.#options.members.get(gateway);
    const missing = this.#orders.gateways.filter(isGone);
    for (const gateway of missing) {
      if (!this.#missing.has(gateway)) continue;
      for (const order of this.#orders.of(gateway)) this.#remove(order, 'finished');
    }
    this.#missing = new Set(missing);
  }

  /** Resolves when everything decided so far has been written, or cannot be. */
  async written(): Promise<void> {
    await Promise.all(this.#pending);
  }

  close(): void {
    this.#closed = true;
  }

  #resync(member: Member, { rests, holds, last }: Resync): void {
    const { gateway } = member;
    const unnamed = member.unnamed ?? new Set(this.#orders.of(gateway).map(({ id }) => id));
    for (const slot of holds) this.hold(gateway, slot);
    for (const rest of rests) this.rest(gateway, rest, true);
    for (const { order } of [...holds, ...rests]) unnamed.delete(order);
    member.unnamed = last ? null : unnamed;
    if (!last) return;
    member.reported = true;
    for (const id of unnamed) {
      const order = this.#orders.get(id);
      if (order?.gateway === gateway) this.#remove(order, 'finished');
    }
  }

  #command(from: GatewayId, command: Command): void {
    switch (command.type) {
      case 'rest':
        if (this.#orders.get(command.order)?.gateway !== from) this.rest(from, command, false);
        return;
      case 'release': {
        // Of its own order, or of one whose gateway is gone: then it has adopted that.
        const order = this.#orders.get(command.order);
        if (order?.slot?.attempt !== command.attempt || order.slot.pod !== command.pod) return;
        if (order.gateway !== from && this.#options.members.get(order.gateway)) return;
        this.#orders.delete(order.id);
        this.#say(command);
        return;
      }
      case 'withdraw': {
        const order = this.#orders.get(command.order);
        if (order?.gateway !== from || order.slot) return;
        this.#orders.delete(order.id);
        this.#say(command);
        return;
      }
      case 'reprice':
        this.#asker = from;
        if ((this.#orders.get(command.order)?.gateway ?? from) === from) this.#say(command);
        else {
          const member = this.#options.members.get(from);
          if (member) this.#post(member, { type: 'not-resting', model: command.model, seq: 0, order: command.order });
        }
        return;
      case 'capacity':
        if (from === this.#options.self) this.#say(command);
    }
  }

  #remove({ id, slot }: HostedOrder, reason: Release['reason']): void {
    const { model } = this.#options;
    this.#orders.delete(id);
    if (slot) this.#say({ type: 'release', model, order: id, ...slot, reason });
    else this.#say({ type: 'withdraw', model, order: id, expired: false });
  }

  #say(command: Command): void {
    this.#options.exchange.send(command);
    this.#options.exchange.flush();
  }

  /**
   * This gateway gets a level at once: its own journal commits in order. Other gateways get it once it has committed.
   */
  #recordMarketEvent(event: MarketEvent): void {
    const { self, epoch, members, send, write, published } = this.#options;
    const written = write(event, epoch);
    this.#pending.add(written);
    const committed = written.then((result) => {
      this.#pending.delete(written);
      if (result !== 'committed' && !this.#closed) {
        this.#closed = true;
        this.#options.onLost();
      }
      return result === 'committed' && !this.#closed;
    });
    if (event.type === 'level') {
      send(self, this.#wrapped(event));
      this.#outbox.wait(committed);
      this.#outbox.send(() => published(event));
      for (const member of members.all) if (member.gateway !== self) this.#post(member, event);
    } else if (event.type === 'quote') {
      const { state: _, ...quote } = event;
      void committed.then((isCommitted) => {
        if (!isCommitted) return;
        published(quote);
        for (const { gateway } of members.all) send(gateway, this.#wrapped({ ...quote, state: null }));
      });
    }
  }

  #sendOrderEvent(event: OrderEvent): void {
    const known = this.#orders.get(event.order);
    const { attempt, pod } = event.type === 'admit' ? event : { attempt: 0, pod: '' };
    if (known && event.type === 'admit') this.#orders.set({ ...known, slot: { attempt, pod } });
    if (event.type === 'rested' && event.order === this.#quietOrder) return;
    const member = this.#options.members.get(known?.gateway ?? this.#asker);
    if (member) this.#post(member, event);
  }

  #post(member: Member, event: LevelMoved | OrderEvent): void {
    const { self, send, members } = this.#options;
    if (member.gateway === self) {
      send(self, this.#wrapped(event));
      return;
    }
    // Not sent on the next session of the gateway: there it has said what it has without knowing this.
    this.#outbox.send(() => members.has(member) && !this.#closed && send(member.gateway, this.#wrapped(event)));
  }

  #wrapped(event: Extract<FromOwner, { type: 'event' }>['event']): FromOwner {
    return { type: 'event', epoch: this.#options.epoch, event };
  }
}

// Holds back what goes to other gateways while something that they must not act before is still being written: an
// admission on another gateway must never commit before the level that it names. Order is kept.

/** A queue of sends behind pending writes. */
class AfterCommit {
  readonly #queue: ((() => void) | { isOpen: boolean })[] = [];

  /** Sends at once, or when everything has committed that was being written before. */
  send(send: () => void): void {
    if (this.#queue.length === 0) send();
    else this.#queue.push(send);
  }

  /**
   * Messages sent from now on wait until `committed` is true; if it never is, they are never sent. It never rejects.
   */
  wait(committed: Promise<boolean>): void {
    const bar = { isOpen: false };
    this.#queue.push(bar);
    void committed.then((isCommitted) => {
      bar.isOpen = isCommitted;
      this.#flush();
    });
  }

  #flush(): void {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (typeof first === 'function') first();
      else if (!first.isOpen) return;
      this.#queue.shift();
    }
  }
}

/** An order that waits, or holds a slot. */
interface HostedOrder {
  readonly id: string;
  readonly gateway: GatewayId;
  readonly slot: { readonly attempt: number; readonly pod: string } | null;
}

/** Orders by id and by gateway. */
class HostedOrders {
  readonly #orders = new Map<string, HostedOrder>();
  readonly #byGateway = new Map<GatewayId, Set<string>>();

  /** The gateways that have any. */
  get gateways(): GatewayId[] {
    return [...this.#byGateway.keys()];
  }

  get(id: string): HostedOrder | null {
    return this.#orders.get(id) ?? null;
  }

  of(gateway: GatewayId): HostedOrder[] {
    return [...(this.#byGateway.get(gateway) ?? [])].flatMap((id) => this.get(id) ?? []);
  }

  /** Adds an order, or says again what it has and whose it is. */
  set(order: HostedOrder): void {
    const known = this.get(order.id);
    if (known && known.gateway !== order.gateway) this.delete(order.id);
    this.#orders.set(order.id, order);
    const own = this.#byGateway.get(order.gateway);
    if (own) own.add(order.id);
    else this.#byGateway.set(order.gateway, new Set([order.id]));
  }

  delete(id: string): void {
    const known = this.get(id);
    if (!known) return;
    this.#orders.delete(id);
    const own = this.#byGateway.get(known.gateway);
    own?.delete(id);
    if (own?.size === 0) this.#byGateway.delete(known.gateway);
  }
}
