/**
 * The exchange as one gateway of several sees it: each market is where its owner is, here (`market-host.ts`) or at the
 * other end of a session, and the order service does not know which. The same messages go both ways in either case. No
 * part of it knows leases, sockets or rows: it is given what it owns, who lives and what arrives.
 */
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { WriteMarketEvent } from '#market/exchange/event-writer.ts';
import type { MarketViews } from '#market/exchange/local-exchange.ts';
import { type MarketTerms, marketKind } from '#market/listing.ts';
import type { Command, ExchangeEvent, ExchangePort } from '#market/ports.ts';
import type { Standing } from '#orders/market-standing.ts';
import type { FromOwner, GatewayId, PeerMessage } from '../messages.ts';
import type { ClusterStore, PeerSession } from '../ports.ts';
import { type HostedExchange, MarketHost, type MarketPast } from './market-host.ts';
import { OwnerRoute } from './owner-route.ts';

/** How long positions are waited for. */
const POSITIONS_MS = 2_000;

/** What it needs. */
export interface ClusterExchangeOptions {
  readonly self: GatewayId;
  readonly clock: Clock;
  readonly log: Log;
  /** Everything that is sold at the start, previews too; `renew` adds others. */
  readonly listings: readonly MarketTerms[];
  /** The options of the exchange of a market that this gateway comes to own. */
  readonly exchange: (model: string) => HostedExchange;
  /** The newest level and quote of a market. */
  readonly past: (model: string) => Promise<MarketPast>;
  readonly store: Pick<ClusterStore, 'slotsHeld'>;
  /** Writes an event of an own market under the epoch of its lease. */
  readonly write: WriteMarketEvent;
  /** What the orders of this gateway have in a market. */
  readonly standing: (model: string) => Standing;
  /** Asks the pods of a market, which has just opened here, for their capacity. */
  readonly askCapacity: (model: string) => void;
  /** An own market has another owner by now, or could not be written. It has been let go. */
  readonly onLost: (model: string, epoch: number) => void;
}

/** The exchange of a gateway in a cluster. */
export class ClusterExchange implements ExchangePort {
  readonly #options: ClusterExchangeOptions;
  readonly #listings: Map<string, MarketTerms>;
  readonly #routes = new Map<string, OwnerRoute>();
  readonly #hosts = new Map<string, MarketHost>();
  readonly #sessions = new Map<GatewayId, PeerSession>();
  readonly #buried = new Set<GatewayId>();
  /** The buried gateways whose orders this gateway takes over. */
  readonly #adopted = new Set<GatewayId>();
  #alive: { readonly ids: readonly GatewayId[]; readonly fresh: readonly GatewayId[] } | null = null;
  readonly #events: ExchangeEvent[] = [];
  #scheduled = false;
  #onEvent: ((event: ExchangeEvent) => void) | null = null;
  /** The questions for positions that are open. */
  readonly #questions = new Map<number, PromiseWithResolvers<readonly (number | null)[]>>();
  #lastQuestion = 0;

  constructor(options: ClusterExchangeOptions) {
    this.#options = options;
    this.#listings = new Map(options.listings.map((listing) => [listing.id, listing]));
    for (const { id } of options.listings) this.#addRoute(id);
  }

  /** A command that reaches no owner is dropped; the next one receives what the orders have by then. */
  send(command: Command): void {
    if (command.type === 'capacity') {
      const { model } = command;
      const host = this.#hosts.get(model);
      host?.take(this.#options.self, { type: 'command', epoch: host.epoch, model, command });
    } else this.#routes.get(command.model)?.send(command);
  }

  /** All null when the market has no owner, or it does not answer within two seconds. */
  async positions(model: string, orders: readonly string[]): Promise<(number | null)[]> {
    const id = ++this.#lastQuestion;
    const answer = Promise.withResolvers<readonly (number | null)[]>();
    this.#questions.set(id, answer);
    const isAsked = this.#routes.get(model)?.say({ type: 'positions?', id, model, orders });
    const places = isAsked ? await waitAtMost(this.#options.clock, POSITIONS_MS, answer.promise) : null;
    this.#questions.delete(id);
    return orders.map((_, index) => places?.[index] ?? null);
  }

  /** Levels and quotes of every market arrive; quotes, and levels of other owners, have committed. */
  listen(onEvent: (event: ExchangeEvent) => void): void {
    this.#onEvent = onEvent;
    this.#schedule();
  }

  /** Everything that this gateway sells, previews too. */
  get models(): readonly string[] {
    return [...this.#listings.keys()];
  }

  /** The gateway that this one takes for the owner of a market; null when it knows none. */
  ownerOf(model: string): GatewayId | null {
    return this.#routes.get(model)?.owner ?? null;
  }

  /** A read-only view of an own market; null before it is open, and for a market of another gateway. */
  here(model: string): MarketViews | null {
    return this.#hosts.get(model)?.exchange ?? null;
  }

  /** When the levels of its own markets last moved: the earliest of these times, or now if it owns none. */
  get tickedAtMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    return Math.min(nowMs, ...[...this.#hosts.values()].map((host) => host.tickedAtMs ?? nowMs));
  }

  /** This gateway has taken the lease of a market. */
  owns(model: string, epoch: number): void {
    const listing = this.#listings.get(model);
    if (!listing) throw new Error(`there is no listing ${model}`);
    this.#hosts.get(model)?.close();
    const { self, exchange, past, askCapacity } = this.#options;
    const host = new MarketHost({
      ...{ ...this.#options, listing, epoch },
      exchange: exchange(model),
      past: () => past(model),
      send: (to, message) => {
        if (to === self) this.#fromOwner(self, message);
        else this.#sessions.get(to)?.send(message);
      },
      opened: () => askCapacity(model),
      onLost: () => {
        if (this.#hosts.get(model) === host) this.#loseMarket(model, host);
      },
    });
    this.#hosts.set(model, host);
    if (this.#alive) host.alive(this.#alive.ids, this.#alive.fresh);
    for (const gateway of [self, ...this.#sessions.keys()]) host.join(gateway);
  }

  /** Sells a listing that is new, or has other terms for a market that this gateway owns, now or later. */
  renew(listing: MarketTerms): void {
    const { id: model } = listing;
    const before = this.#listings.get(model);
    this.#listings.set(model, listing);
    if (!before) this.#addRoute(model);
    const isOfKind = before && marketKind(before) === marketKind(listing);
    // Its owner may be of another kind, and says so before anything is sent.
    if (!isOfKind) this.#routes.get(model)?.close();
    this.#hosts.get(model)?.renew(listing);
    if (!isOfKind) for (const session of this.#sessions.values()) session.send({ type: 'sells', model });
  }

  /** This gateway no longer has the lease of a market; with `epoch`, only if it was under that epoch. */
  lost(model: string, epoch?: number): void {
    const host = this.#hosts.get(model);
    if (!host || (epoch !== undefined && host.epoch !== epoch)) return;
    host.close();
    this.#hosts.delete(model);
    const left = { type: 'left', model, epoch: host.epoch } as const;
    this.#fromOwner(this.#options.self, left);
    for (const session of this.#sessions.values()) session.send(left);
  }

  /** Decides nothing more in a market; resolves when nothing more will be written. The caller then frees its lease and calls `lost`. */
  async handOver(model: string): Promise<void> {
    await this.#hosts.get(model)?.finish();
  }

  /** A beat: every gateway with a lease, this one included, and those whose own beat is fresh. */
  gatewaysAlive(ids: readonly GatewayId[], fresh: readonly GatewayId[]): void {
    // Ended and adopted since the last beat: if it wakes, it must not be heard.
    for (const gateway of this.#alive?.ids ?? []) if (!ids.includes(gateway)) this.#buryGateway(gateway);
    this.#alive = { ids, fresh };
    for (const gateway of this.#adopted) if (!ids.includes(gateway)) this.#adopted.delete(gateway);
    for (const host of this.#hosts.values()) host.alive(ids, fresh);
  }

  /** A gateway was declared dead, and `adopter` takes its orders over. May be said again. */
  buried(gateway: GatewayId, adopter: GatewayId): void {
    this.#buryGateway(gateway);
    if (adopter !== this.#options.self || this.#adopted.has(gateway)) return;
    this.#adopted.add(gateway);
    for (const session of this.#sessions.values()) session.send({ type: 'adopted', gateway });
  }

  opened(session: PeerSession): void {
    const { gateway } = session;
    if (this.#buried.has(gateway)) {
      session.close();
      return;
    }
    const before = this.#sessions.get(gateway);
    if (before) this.closed(before);
    this.#sessions.set(gateway, session);
    for (const adopted of this.#adopted) session.send({ type: 'adopted', gateway: adopted });
    for (const host of this.#hosts.values()) host.join(gateway);
  }

  /** False if the message is not of a market. */
  message(session: PeerSession, message: PeerMessage): boolean {
    const { gateway } = session;
    const isPresent = this.#sessions.get(gateway) === session;
    switch (message.type) {
      case 'resync':
      case 'command':
      case 'positions?':
        if (isPresent) this.#hosts.get(message.model)?.take(gateway, message);
        return true;
      case 'welcome':
      case 'event':
      case 'positions':
      case 'left':
        if (isPresent) this.#fromOwner(gateway, message);
        return true;
      case 'sells':
        if (isPresent) this.#hosts.get(message.model)?.join(gateway);
        return true;
      case 'adopted':
        if (isPresent) this.#buryGateway(message.gateway);
        return true;
      default:
        return false;
    }
  }

  closed(session: PeerSession): void {
    const { gateway } = session;
    if (this.#sessions.get(gateway) !== session) return;
    this.#sessions.delete(gateway);
    for (const host of this.#hosts.values()) host.leave(gateway);
    for (const route of this.#routes.values()) if (route.owner === gateway) route.close();
  }

  /** Stops every own market at once. */
  close(): void {
    for (const host of this.#hosts.values()) host.close();
    for (const route of this.#routes.values()) route.close();
    for (const { resolve } of this.#questions.values()) resolve([]);
  }

  #fromOwner(from: GatewayId, message: FromOwner): void {
    switch (message.type) {
      case 'welcome':
        this.#takeWelcome(from, message);
        return;
      case 'event': {
        const { epoch, event } = message;
        const route = this.#routes.get(event.model);
        if (!route || route.owner !== from || route.epoch !== epoch) return;
        if (event.type === 'repriced' || event.type === 'not-resting') route.answered(event.order);
        this.#deliver(event.type === 'admit' ? { ...event, epoch } : event);
        return;
      }
      case 'positions':
        this.#questions.get(message.id)?.resolve(message.places);
        return;
      case 'left': {
        const route = this.#routes.get(message.model);
        if (route?.owner === from && route.epoch === message.epoch) route.close();
      }
    }
  }

  #addRoute(model: string): void {
    const { clock, standing } = this.#options;
    const answer = (event: ExchangeEvent) => this.#deliver(event);
    this.#routes.set(model, new OwnerRoute({ model, clock, standing: () => standing(model), answer }));
  }

  #takeWelcome(from: GatewayId, { model, epoch, kind, level, quote }: Extract<FromOwner, { type: 'welcome' }>): void {
    const route = this.#routes.get(model);
    const listing = this.#listings.get(model);
    if (!route || !listing) {
      // Its owner waits for all: this gateway does not sell it, and has nothing there.
      this.#sessions.get(from)?.send({ type: 'resync', model, epoch, rests: [], holds: [], last: true });
      return;
    }
    if (epoch < route.epoch) return;
    // Commands that arrived before change what the orders have.
    this.#flush();
    const own = this.#hosts.get(model);
    if (own && own.epoch < epoch) this.#loseMarket(model, own);
    if (level) this.#deliver(level);
    if (quote) this.#deliver({ ...quote, state: null });
    const { self, log } = this.#options;
    if (kind !== marketKind(listing)) {
      const fields = { model, gateway: from, kind, ownKind: marketKind(listing) };
      log.warn(fields, 'The owner of a market has it as another kind: its orders wait here until both files agree.');
      route.open(epoch, from, null);
      return;
    }
    route.open(epoch, from, (message) => {
      if (from === self) this.#hosts.get(model)?.take(self, message);
      else this.#sessions.get(from)?.send(message);
    });
  }

  #loseMarket(model: string, host: MarketHost): void {
    this.lost(model);
    this.#options.onLost(model, host.epoch);
  }

  #buryGateway(gateway: GatewayId): void {
    if (gateway === this.#options.self || this.#buried.has(gateway)) return;
    this.#buried.add(gateway);
    const session = this.#sessions.get(gateway);
    if (session) {
      this.closed(session);
      session.close();
    }
    for (const host of this.#hosts.values()) host.leave(gateway);
  }

  /** Never from inside `send`. */
  #deliver(event: ExchangeEvent): void {
    this.#events.push(event);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#onEvent || this.#events.length === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (!this.#onEvent) return;
    for (const event of this.#events.splice(0)) this.#onEvent(event);
  }
}
