/**
 * What a transport between gateways gives the roster of peers (`peer-roster.ts`), which does the rest: one connection
 * per pair, dialled again when it breaks. Callbacks instead of promises, so that a simulation can run it event by event.
 */
import type { GatewayId, PeerMessage } from '../messages.ts';
import type { ClusterGateway } from '../ports.ts';

/** A gateway that can be reached. */
export type PeerName = Pick<ClusterGateway, 'id' | 'address'>;

/** What happens on a connection. */
export interface ConnectionEvents {
  message(message: PeerMessage): void;
  /** The connection has ended, for whatever reason. Called once, last, and never from inside `send` or `close`. */
  broken(reason: string): void;
}

/** A connection with a gateway that has said who it is. Keeps what arrives until it is begun. */
export interface Connection {
  begin(events: ConnectionEvents): void;
  /** Never throws. Nothing is sent once it is broken. */
  send(message: PeerMessage): void;
  close(): void;
}

/** Why a gateway cannot be talked to, although it answers. */
export interface PeerRefusal {
  readonly gateway: GatewayId;
  readonly address: string;
  readonly cause: 'secret' | 'protocol' | 'clock';
  /** For people: names both sides' values. */
  readonly sentence: string;
}

/** The outcome of a dial. */
export type DialOutcome =
  | { readonly type: 'open'; readonly connection: Connection }
  /** Only of a probe: the gateway is there. */
  | { readonly type: 'alive' }
  /** Nothing listens there, or another gateway does: the former process has ended. */
  | { readonly type: 'gone' }
  | { readonly type: 'incompatible'; readonly refusal: PeerRefusal }
  | { readonly type: 'failed'; readonly reason: string };

/** A probe only finds out whether the gateway is there; a session makes a connection. */
export type DialPurpose = 'session' | 'probe';

/**
 * Dials a gateway and calls `done` once, never from inside this call, and after `timeoutMs` at the latest. Returns a
 * function that gives up: `done` is then never called.
 */
export type Dial = (
  peer: PeerName,
  options: { readonly purpose: DialPurpose; readonly timeoutMs: number },
  done: (outcome: DialOutcome) => void,
) => () => void;
