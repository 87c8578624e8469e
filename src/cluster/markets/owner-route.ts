/**
 * The way from one gateway to the present owner of one market. Messages sent while there is no owner are dropped: the
 * next owner receives everything again, in parts, before later messages. Reprices are kept until they are answered,
 * because a caller waits for each.
 */
import type { Clock } from '#base/clock.ts';
import type { Command, ExchangeEvent } from '#market/ports.ts';
import type { Standing } from '#orders/market-standing.ts';
import type { GatewayId, ToOwner } from '../messages.ts';

/** The most entries of one part: a frame of it is below a megabyte. */
const PART_MAX = 2_000;
/** How many reprices may wait for an owner; more are answered with a refusal. */
const REPRICES_MAX = 10_000;

type Reprice = Extract<Command, { type: 'reprice' }>;

interface OwnerRouteOptions {
  readonly model: string;
  readonly clock: Clock;
  /** What this gateway has in the market now. */
  readonly standing: () => Standing;
  /** Answers a command that reaches no owner. */
  readonly answer: (event: ExchangeEvent) => void;
}

/** Where the commands about one market go. */
export class OwnerRoute {
  readonly #options: OwnerRouteOptions;
  #epoch = 0;
  #owner: GatewayId | null = null;
  #post: ((message: ToOwner) => void) | null = null;
  /** What is to be said after the parts of the standing; null when they have been sent. */
  #backlog: ToOwner[] | null = null;
  #reprices: Reprice[] = [];

  constructor(options: OwnerRouteOptions) {
    this.#options = options;
  }

  /** The highest epoch that this gateway has seen. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The owner that has shown itself last; null for none. */
  get owner(): GatewayId | null {
    return this.#owner;
  }

  /** An owner has shown itself: it receives what this gateway has, and then what follows; nothing without `post`. */
  open(epoch: number, owner: GatewayId, post: ((message: ToOwner) => void) | null): void {
    this.#epoch = epoch;
    this.#owner = owner;
    this.#post = post;
    this.#backlog = null;
    if (post === null) return;
    const { rests, holds } = this.#options.standing();
    const { model } = this.#options;
    const nothing = { type: 'resync', model, epoch, rests: [], holds: [], last: false } as const;
    const parts: ToOwner[] = [
      // Slots come first: nothing may run beside a slot that is not known.
      ...inParts(holds).map((some) => ({ ...nothing, holds: some })),
      ...inParts(rests).map((some) => ({ ...nothing, rests: some })),
      { ...nothing, last: true },
    ];
    for (const command of this.#reprices) parts.push({ type: 'command', epoch, model, command });
    this.#backlog = parts;
    this.#continue(post);
  }

  /** Nothing is sent until the next owner shows itself. */
  close(): void {
    this.#owner = null;
    this.#post = null;
    this.#backlog = null;
  }

  send(command: Command): void {
    if (command.type === 'reprice') {
      if (this.#reprices.length >= REPRICES_MAX) {
        const { order, model } = command;
        this.#options.answer({ type: 'not-resting', model, seq: 0, order });
        return;
      }
      this.#reprices.push(command);
    }
    this.say({ type: 'command', epoch: this.#epoch, model: this.#options.model, command });
  }

  /** Sends a message to the owner; false if there is none. */
  say(message: ToOwner): boolean {
    if (this.#backlog) this.#backlog.push(message);
    else this.#post?.(message);
    return this.#post !== null;
  }

  /** The owner has answered a reprice of this order. */
  answered(order: string): void {
    const at = this.#reprices.findIndex((reprice) => reprice.order === order);
    if (at >= 0) this.#reprices.splice(at, 1);
  }

  /** Sends some of the backlog in each turn, so that others have theirs, unless the owner has changed. */
  #continue(post: (message: ToOwner) => void): void {
    if (this.#post !== post || !this.#backlog) return;
    const first = this.#backlog.shift();
    if (first) post(first);
    if (!this.#backlog || this.#post !== post) return;
    if (this.#backlog[0]?.type === 'resync') {
      if (first?.type === 'resync' && first.rests.length + first.holds.length < PART_MAX) this.#continue(post);
      else this.#options.clock.after(0, () => this.#continue(post));
      return;
    }
    const rest = this.#backlog;
    this.#backlog = null;
    for (const message of rest) if (this.#post === post) post(message);
  }
}

function inParts<Entry>(entries: readonly Entry[]): (readonly Entry[])[] {
  const parts = Array.from({ length: Math.ceil(entries.length / PART_MAX) });
  return parts.map((_, part) => entries.slice(part * PART_MAX, (part + 1) * PART_MAX));
}
