/**
 * Questions to another gateway and their answers, over its session. A call has a deadline; a Fault that the other side
 * throws is thrown here with everything that its caller would get, so that an answer does not depend on which gateway
 * was asked. A call that is not answered may have been carried out all the same.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { catalogue, Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { GatewayId, PeerCall, PeerMessage } from '../messages.ts';
import type { PeerSession } from '../ports.ts';

/** How long an answer may take. */
const CALL_MS = 2_000;
/** How many calls of one gateway may be under way, in each direction. */
const CALLS_MAX = 10_000;
const RETRY_S = 1;

/** Answers a call. What it returns must be plain JSON. */
export type CallHandler = (params: unknown, from: GatewayId) => Promise<unknown>;

interface CallsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an error means that the database fails or does not answer now, so that a retry may succeed. */
  readonly isOutage: (error: unknown) => boolean;
}

interface Pending extends PromiseWithResolvers<unknown> {
  /** The deadline. */
  readonly timer: Timer;
}

/** The calls on one session. */
interface Conversation {
  readonly session: PeerSession;
  readonly pending: Map<number, Pending>;
  answering: number;
}

/** Calls to and from all other gateways. The listener of the peers passes on what happens on sessions. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #handlers = new Map<string, CallHandler>();
  readonly #conversations = new Map<GatewayId, Conversation>();
  readonly #onOpened: ((gateway: GatewayId) => void)[] = [];
  #lastId = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Answers calls of this name from now on. */
  handle(name: string, handler: CallHandler): void {
    this.#handlers.set(name, handler);
  }

  /**
   * Asks a gateway. Rejects with the Fault that it answers with; with `unavailable` when it cannot be reached, leaves
   * or does not answer in `deadlineMs`.
   */
  call(gateway: GatewayId, name: string, params: unknown, deadlineMs = CALL_MS): Promise<unknown> {
    const conversation = this.#conversations.get(gateway);
    if (!conversation || conversation.pending.size >= CALLS_MAX) return Promise.reject(unreachable(gateway));
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    const timer = this.#options.clock.after(deadlineMs, () => this.#settle(conversation, id)?.reject(late(gateway)));
    conversation.pending.set(id, { ...answer, timer });
    conversation.session.send({ type: 'call', id, name, params });
    return answer.promise;
  }

  /** Sends to all gateways that can be reached. */
  tell(message: PeerMessage): void {
    for (const { session } of this.#conversations.values()) session.send(message);
  }

  /** The gateways that can be asked now. */
  get gateways(): GatewayId[] {
    return [...this.#conversations.keys()];
  }

  /** Called with each gateway that can be asked from now on. */
  meet(onOpened: (gateway: GatewayId) => void): void {
    this.#onOpened.push(onOpened);
  }

  opened(session: PeerSession): void {
    this.#conversations.set(session.gateway, { session, pending: new Map(), answering: 0 });
    for (const onOpened of this.#onOpened) onOpened(session.gateway);
  }

  closed(session: PeerSession): void {
    const { gateway } = session;
    const conversation = this.#conversations.get(gateway);
    if (conversation?.session !== session) return;
    this.#conversations.delete(gateway);
    for (const { reject, timer } of conversation.pending.values()) {
      timer.cancel();
      reject(unreachable(gateway));
    }
  }

  message(session: PeerSession, message: PeerCall): void {
    const conversation = this.#conversations.get(session.gateway);
    if (conversation?.session !== session) return;
    if (message.type === 'call') void this.#answer(conversation, message);
    else if (message.type === 'answer') this.#settle(conversation, message.id)?.resolve(message.value);
    else this.#settle(conversation, message.id)?.reject(faultFrom(message.fault));
  }

  #settle({ pending }: Conversation, id: number): Pending | null {
    const call = pending.get(id) ?? null;
    call?.timer.cancel();
    pending.delete(id);
    return call;
  }

  async #answer(conversation: Conversation, { id, name, params }: Extract<PeerCall, { type: 'call' }>): Promise<void> {
    const { session } = conversation;
    const handler = this.#handlers.get(name);
    conversation.answering++;
    try {
      if (!handler || conversation.answering > CALLS_MAX) throw new Fault('unavailable', { retryAfterS: RETRY_S });
      const value = await handler(params, session.gateway);
      session.send({ type: 'answer', id, value: value ?? null });
    } catch (error) {
      session.send({ type: 'refusal', id, fault: plain(this.#faultOf(error, name)) });
    } finally {
      conversation.answering--;
    }
  }

  #faultOf(error: unknown, name: string): Fault {
    if (error instanceof Fault) return error;
    if (this.#options.isOutage(error)) {
      this.#options.log.warn(
        { call: name, err: error },
        'A call of another gateway failed: the database failed, or does not answer.',
      );
      return new Fault('unavailable', { retryAfterS: RETRY_S });
    }
    this.#options.log.error({ call: name, err: error }, 'A call of another gateway failed.');
    return new Fault('internal_error');
  }
}

/** All that a caller gets of a Fault. */
type FaultFields = Pick<Fault, 'code' | 'message' | 'param' | 'retryAfterS' | 'orderId' | 'details' | 'headers'>;

/** Without the private cause, which stays where it was logged. */
function plain({ code, message, param, retryAfterS, orderId, details, headers }: Fault): FaultFields {
  return { code, message, param, retryAfterS, orderId, details, headers };
}

/** The Fault that another gateway sent. Both run the same version, so that its fields are what this one writes. */
function faultFrom(value: unknown): Fault {
  const { code, message, param, retryAfterS, orderId, details, headers } = value as FaultFields;
  if (!Object.hasOwn(catalogue, code)) return new Fault('internal_error', { cause: value });
  return new Fault(code, {
    message,
    ...(param === null ? {} : { param }),
    ...(retryAfterS === null ? {} : { retryAfterS }),
    ...(orderId === null ? {} : { orderId }),
    ...(details === null ? {} : { details }),
    headers,
  });
}

/** The fault for what only another gateway can do, which cannot be reached. */
export function unreachable(gateway: GatewayId): Fault {
  return new Fault('unavailable', { retryAfterS: RETRY_S, cause: new Error(`gateway ${gateway} cannot be reached`) });
}

function late(gateway: GatewayId): Fault {
  const cause = new Error(`gateway ${gateway} did not answer in time`);
  const message = 'The gateway that has this did not answer in time. It may still be applied: read it back first.';
  return new Fault('unavailable', { message, retryAfterS: RETRY_S, cause });
}
