/**
 * Followers of orders that other gateways run. The gateway of the follower asks for one page after the other, when its
 * caller has read the one before, so nothing is buffered on the way; a page waits for news for a few seconds. A seat that
 * nobody asks for any more is given up. When the other gateway cannot be reached the stream is cut, as that of a caller
 * there would be. docs/decisions/0058.
 */

import { type Clock, type Timer, waitAtMost } from '#base/clock.ts';
import { wholeAccount } from '#base/reach.ts';
import {
  type FollowedOrder,
  type FollowPort,
  pageFrom,
  type SentPage,
  type StreamPage,
  sentPage,
} from '#orders/order-stream.ts';
import type { GatewayId } from '../messages.ts';
import type { Calls } from '../peers/calls.ts';
import type { Homes } from '../ports.ts';

/** How long a page waits for news. */
export const PAGE_WAIT_MS = 5_000;
/** How long an answer may take besides. */
const ANSWER_MS = 2_000;
/** After how long without a question a seat is given up: its follower reads a page at a time, and has a minute for it. */
export const SEAT_MS = 90_000;

/** How long the events of an ended order are kept for followers who are behind. */
export const OVER_MS = 60_000;

interface FollowingOptions {
  readonly self: GatewayId;
  readonly homes: Pick<Homes, 'ofOrders'>;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
  readonly clock: Clock;
  /** The order service of this gateway. */
  readonly orders: FollowPort;
  /** Whether it has the order in memory. */
  readonly isHere: (orderId: string) => boolean;
}

/** The gateway that asks has seen in the order's row that its caller reaches the order. */
interface FollowParams {
  readonly accountId: string;
  readonly orderId: string;
}

interface PageParams {
  readonly seat: number;
  readonly from: number;
  readonly wait: boolean;
}

/** With the echo in JSON; null for the defaults. */
type Facts = Omit<FollowedOrder, 'echo' | 'heldBytes' | 'next' | 'close'> & { readonly echo: string | null };

/** Orders of all gateways, to be followed. */
export interface ForwardedFollowing extends FollowPort {
  /** Cuts the followers of other gateways' orders, because this gateway closes. */
  close(): void;
}

/** Follows orders of all gateways; call once, because it also answers the others. */
export function forwardedFollowing(options: FollowingOptions): ForwardedFollowing {
  const { self, homes, calls, orders, isHere } = options;
  const far = new Set<FollowedOrder>();
  serveSeats(options);
  return {
    async follow(reach, orderId) {
      if (isHere(orderId)) return orders.follow(reach, orderId);
      const home = (await homes.ofOrders(reach, [orderId])).get(orderId);
      if (home === undefined || home === self) return orders.follow(reach, orderId);
      const params: FollowParams = { accountId: reach.accountId, orderId };
      const opened = (await calls.call(home, 'order.follow', params)) as Opened | null;
      if (!opened) return null;
      const ask: Ask = (name, asked) => calls.call(home, name, asked, PAGE_WAIT_MS + ANSWER_MS);
      const order = farOrder(opened, ask, echoOf(opened.facts, far), () => far.delete(order));
      far.add(order);
      return order;
    },
    close() {
      for (const order of [...far]) order.close();
    },
  };
}

type Ask = (name: string, params: unknown) => Promise<unknown>;

interface Opened {
  readonly seat: number;
  readonly facts: Facts;
}

/** All followers of an order share what it repeats. */
function echoOf({ orderId, restarted, echo }: Facts, far: Iterable<FollowedOrder>): unknown {
  for (const other of far) if (other.orderId === orderId && other.restarted === restarted) return other.echo;
  return echo === null ? undefined : Buffer.from(echo);
}

/** An order at another gateway, by its seat there. */
function farOrder({ seat, facts }: Opened, ask: Ask, echo: unknown, closed: () => void): FollowedOrder {
  const cut: StreamPage = { entries: [], end: 'cut' };
  let open = true;
  let stop = () => {};
  const pageAt = (from: number, wait: boolean) =>
    new Promise<unknown>((resolve) => {
      stop = () => resolve(null);
      const params: PageParams = { seat, from, wait };
      // For this follower an unreachable gateway, or a malformed answer, ends the stream.
      ask('order.follow.page', params).then(resolve, stop);
    });
  return {
    ...facts,
    echo,
    heldBytes: () => 0,
    async next(from, wait) {
      while (open) {
        const sent = await pageAt(from, wait);
        if (!sent) break;
        const page = pageFrom(sent as SentPage);
        if (page.entries.length > 0 || page.end || !wait) return page;
      }
      return cut;
    },
    close() {
      if (!open) return;
      open = false;
      stop();
      closed();
      // If it is not heard the seat is given up all the same.
      void ask('order.follow.close', { seat }).catch(() => {});
    },
  };
}

/** A seat of another gateway's follower. */
interface Seat {
  readonly order: FollowedOrder;
  readonly gateway: GatewayId;
  timer: Timer;
  /** Since when it has been known that the order has ended; null before. */
  overSinceMs: number | null;
  /** The page that is waited for, which the next question gets when this one has waited long enough. */
  waiting: { readonly from: number; readonly page: Promise<StreamPage> } | null;
}

/** Answers other gateways. */
function serveSeats({ calls, clock, orders }: FollowingOptions): void {
  const seats = new Map<number, Seat>();
  let last = 0;
  const give = (id: number) => {
    const seat = seats.get(id);
    seats.delete(id);
    seat?.timer.cancel();
    seat?.order.close();
  };
  const seatOf = (id: number, gateway: GatewayId) => {
    const seat = seats.get(id);
    return seat?.gateway === gateway ? seat : null;
  };
  calls.handle('order.follow', async (params, gateway) => {
    const { accountId, orderId } = params as FollowParams;
    const order = await orders.follow(wholeAccount(accountId), orderId);
    if (!order) return null;
    const seat = ++last;
    seats.set(seat, {
      order,
      gateway,
      timer: clock.after(SEAT_MS, () => give(seat)),
      overSinceMs: null,
      waiting: null,
    });
    const { echo: shared, heldBytes: _held, next: _next, close: _close, ...known } = order;
    const facts: Facts = { ...known, echo: shared === undefined ? null : jsonOf(shared) };
    return { seat, facts };
  });
  calls.handle('order.follow.page', async (params, gateway) => {
    const { seat: id, from, wait } = params as PageParams;
    const seat = seatOf(id, gateway);
    if (!seat) return sentNothing('cut');
    if (isOverLong(seat, clock)) {
      give(id);
      return sentNothing('cut');
    }
    seat.timer.cancel();
    seat.timer = clock.after(SEAT_MS, () => give(id));
    if (!wait) return sentPage(seat.order, await seat.order.next(from, false));
    if (seat.waiting?.from !== from) seat.waiting = { from, page: seat.order.next(from, true) };
    // What comes later is asked for again.
    const page = await waitAtMost(clock, PAGE_WAIT_MS, seat.waiting.page);
    if (!page) return sentNothing(null);
    seat.waiting = null;
    return sentPage(seat.order, page);
  });
  calls.handle('order.follow.close', async (params, gateway) => {
    const { seat } = params as { readonly seat: number };
    if (seatOf(seat, gateway)) give(seat);
  });
}

function jsonOf(echo: unknown): string {
  return echo instanceof Uint8Array ? Buffer.from(echo).toString() : JSON.stringify(echo);
}

/**
 * Pages kept for followers elsewhere are not counted here, so they are kept only briefly: the stored result is there.
 */
function isOverLong(seat: Seat, clock: Clock): boolean {
  if (seat.order.heldBytes() === 0) return false;
  seat.overSinceMs ??= clock.monotonicMs();
  return clock.monotonicMs() - seat.overSinceMs > OVER_MS;
}

function sentNothing(end: null | 'cut'): SentPage {
  return { entries: [], end };
}
