/** What webhooks store: endpoints, and the messages that they are still owed. */
import type { PriceNano } from '#base/money.ts';

/** A level that an endpoint watches. */
export interface WatchedPrice {
  readonly model: string;
  /** USD per 1M input tokens at the reference mix, in nano-dollars. */
  readonly price: PriceNano;
}

/** What is decided about an endpoint. */
export interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  /** Also orders whose caller waits, and lines of batches. */
  readonly allOrders: boolean;
  readonly prices: readonly WatchedPrice[];
  readonly enabled: boolean;
}

/** An endpoint, without its secrets. */
export interface Endpoint extends EndpointSettings {
  readonly id: string;
  /** '' for one of the operator. */
  readonly accountId: string;
  /** Until when the secret of before signs, too; null when there is none. */
  readonly previousUntilMs: number | null;
  /** Why the gateway disabled it, a sentence, and when; null when it did not. */
  readonly disabledReason: string | null;
  readonly disabledAtMs: number | null;
  readonly createdAtMs: number;
}

/** Where messages go, and what signs them. */
export interface Receiver {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

/** A message that is due. */
export interface DueMessage {
  readonly seq: number;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: number;
  /** When it was tried first; null when it was not. */
  readonly firstAtMs: number | null;
}

/** The messages that are still to be delivered. */
export interface OutboxStore {
  /** The enabled endpoints that something is due for. */
  dueEndpoints(nowMs: number): Promise<string[]>;
  /**
   * The oldest messages that are due for an endpoint, and where they go; null when it is gone or disabled. Of each object
   * only the first that is not delivered.
   */
  due(endpointId: string, nowMs: number, limit: number): Promise<{ receiver: Receiver; messages: DueMessage[] } | null>;
  /** Whether an endpoint is owed more messages than this. Costs one step for each. */
  owesMore(endpointId: string, than: number): Promise<boolean>;
  /** Switches an endpoint off for this reason. What it is owed stays. */
  disable(receiver: Pick<Receiver, 'id' | 'accountId'>, reason: string): Promise<void>;
}

/** How a delivery stands, as lists show it. */
export interface Delivery {
  readonly seq: number;
  readonly eventId: string;
  readonly type: string;
  readonly objectId: string;
  readonly createdAtMs: number;
  readonly attempts: number;
  readonly lastAtMs: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** When it is tried next; null when it is delivered. */
  readonly nextAtMs: number | null;
  readonly deliveredAtMs: number | null;
}

/** Who changes an endpoint, and whose it is ('' for the operator's). */
export interface EndpointOwner {
  /** An e-mail address, or the command line, as the audit log says it. */
  readonly who: string;
  readonly accountId: string;
}

/** The endpoints of an account, or of the operator. Each change is one transaction with its row in the audit log. */
export interface EndpointStore {
  /** The oldest first. */
  list(accountId: string): Promise<Endpoint[]>;
  /** A new endpoint and, only this once, its secret. Throws Fault invalid_request when there are too many. */
  create(
    by: EndpointOwner,
    settings: EndpointSettings,
  ): Promise<{ readonly endpoint: Endpoint; readonly secret: string }>;
  /** Changes what is given. Switched on again, it gets what it is owed. Throws Fault not_found. */
  change(by: EndpointOwner, id: string, settings: Partial<EndpointSettings>): Promise<Endpoint>;
  /** Removes it, with what it is owed. Throws Fault not_found. */
  remove(by: EndpointOwner, id: string): Promise<void>;
  /** A new secret, only this once; the one before signs, too, for `overlapMs` more. Throws Fault not_found. */
  rotate(
    by: EndpointOwner,
    id: string,
    overlapMs: number,
  ): Promise<{ readonly endpoint: Endpoint; readonly secret: string }>;
  /** Sends it a test. Throws Fault not_found. */
  test(by: EndpointOwner, id: string): Promise<Delivery>;
  /** Has one of its newest `among` messages sent again. Throws Fault not_found. */
  resend(by: EndpointOwner, id: string, eventId: string, among: number): Promise<Delivery>;
  /** Its newest messages, the newest first. Throws Fault not_found. */
  deliveries(accountId: string, id: string, limit: number): Promise<Delivery[]>;
}
