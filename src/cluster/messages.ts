/**
 * What gateways of one cluster send each other: plain JSON. A session carries the messages of two gateways in both
 * directions, in order; when it breaks, everything that it said is said again by `resync`. Messages about a market name
 * the epoch of its lease, so that a late one of an earlier owner changes nothing. docs/decisions/0039.
 */
import type { MarketKind } from '#market/listing.ts';
import type { Command, ExchangeEvent, HeldSlot, LevelMoved, QuoteLatched, Rest } from '#market/ports.ts';

export type { HeldSlot };

/** Two gateways join only if they speak the same; raise it with every change that an older one would misread. */
export const PROTOCOL = 4;

/** A gateway, by the boot epoch of its process: no two processes ever have the same. */
export type GatewayId = number;

/** The first message of a session, in both directions, after the greeting. */
export interface Hello {
  readonly type: 'hello';
  readonly gateway: GatewayId;
  readonly protocol: number;
  /** The sender's clock, as corrected by the database's. */
  readonly nowMs: number;
}

/** What a gateway has in one market: instead of everything that it said before. Sent in parts; `last` ends it. */
export interface Resync {
  readonly type: 'resync';
  readonly model: string;
  readonly epoch: number;
  readonly rests: readonly Rest[];
  readonly holds: readonly HeldSlot[];
  readonly last: boolean;
}

/** From a gateway to the owner of a market. */
export type ToOwner =
  | Resync
  | { readonly type: 'command'; readonly epoch: number; readonly model: string; readonly command: Command }
  | {
      readonly type: 'positions?';
      readonly id: number;
      readonly model: string;
      readonly orders: readonly string[];
    };

/** A quote without what only its owner continues from. */
export type PublishedQuote = Omit<QuoteLatched, 'state'>;

/** From the owner of a market to a gateway. */
export type FromOwner =
  /** The sender owns the market under this epoch and expects a `resync`. Null: nothing published yet. */
  | {
      readonly type: 'welcome';
      readonly model: string;
      readonly epoch: number;
      readonly kind: MarketKind;
      readonly level: LevelMoved | null;
      readonly quote: PublishedQuote | null;
    }
  /** Events about orders of the receiver, and those about the market; a level or quote only once it has committed. */
  | {
      readonly type: 'event';
      readonly epoch: number;
      readonly event: Exclude<ExchangeEvent, QuoteLatched> | (PublishedQuote & { readonly state: null });
    }
  | { readonly type: 'positions'; readonly id: number; readonly places: readonly (number | null)[] }
  /** The sender no longer owns the market; another will, or does. */
  | { readonly type: 'left'; readonly model: string; readonly epoch: number };

/** Something to do for another gateway, and its answer; see `calls.ts`. */
export type PeerCall =
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly params: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly fault: unknown };

/** Everything that a session carries. */
export type PeerMessage =
  | ToOwner
  | FromOwner
  | PeerCall
  /** The orders of `gateway`, which is dead, are the sender's from now on; its slots too, until it says otherwise. */
  | { readonly type: 'adopted'; readonly gateway: GatewayId }
  /** The sender sells a model that it did not sell before, or as a market of another kind: its owner says `welcome` again. */
  | { readonly type: 'sells'; readonly model: string }
  /** The sender takes no more leases and gives its markets away. */
  | { readonly type: 'leaving' };
