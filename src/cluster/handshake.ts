/**
 * How two gateways prove that they belong together before they say anything else. The secret never travels: each side
 * sends a random text, and both answer with an HMAC over both texts and over who they are, different for each side, so
 * that nothing heard can be used again or sent back. Then each says what it runs; what does not fit ends the session.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DialPurpose, PeerName, PeerRefusal } from './connection.ts';
import type { GatewayId, Hello } from './messages.ts';

/** The most characters of a frame before both sides have proved themselves, and of all of them in one direction. */
export const HANDSHAKE_BYTES_MAX = 4_096;
export const NONCE_LENGTH = 43;
/** How far apart the clocks of two gateways may be. */
export const CLOCK_MS_MAX = 2_000;

/** The close codes of WebSocket that mean something here. */
export const closeCodes = {
  /** The answer to a probe. */
  alive: 4200,
  malformed: 4400,
  secret: 4401,
  /** Whom the dialer wanted is not here; another gateway is. */
  another: 4404,
  /** What both run, or their clocks, do not fit. */
  incompatible: 4409,
  /** The dialer was declared dead. */
  buried: 4410,
  /** Not ready yet. */
  starting: 4503,
} as const;

/** The first message, from the side that was dialled. */
export interface Challenge {
  readonly type: 'challenge';
  readonly nonce: string;
}

/** The dialer's answer: who it is, whom it wants, and that it knows the secret. */
export interface DialerProof {
  readonly type: 'proof';
  readonly purpose: DialPurpose;
  readonly gateway: GatewayId;
  readonly address: string;
  readonly to: GatewayId;
  readonly nonce: string;
  readonly mac: string;
}

/** The other side's proof. */
export interface ListenerProof {
  readonly type: 'proof';
  readonly mac: string;
}

/** Everything that both sides' proofs are about. */
export interface Parties {
  readonly purpose: DialPurpose;
  readonly dialer: PeerName;
  readonly listener: PeerName;
  readonly dialerNonce: string;
  readonly listenerNonce: string;
}

/** The proof of one side, in hexadecimal. */
export function proofOf(secret: string, side: 'dialer' | 'listener', parties: Parties): string {
  const { purpose, dialer, listener, dialerNonce, listenerNonce } = parties;
  const said = [side, purpose, dialer.id, dialer.address, listener.id, listener.address, dialerNonce, listenerNonce];
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sluice peer', ...said]))
    .digest('hex');
}

/** Compares in a time that tells nothing. */
export function isProof(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A challenge that was read; null for anything else. */
export function readChallenge(value: unknown): Challenge | null {
  const { type, nonce } = fieldsOf(value);
  return type === 'challenge' && isNonce(nonce) ? { type, nonce } : null;
}

/** A dialer's proof that was read, true or not; null for anything else. */
export function readDialerProof(value: unknown): DialerProof | null {
  const { type, purpose, gateway, address, to, nonce, mac } = fieldsOf(value);
  if (type !== 'proof' || (purpose !== 'session' && purpose !== 'probe')) return null;
  if (!isId(gateway) || !isId(to) || !isNonce(nonce)) return null;
  if (typeof address !== 'string' || typeof mac !== 'string') return null;
  return { type, purpose, gateway, address, to, nonce, mac };
}

/** A listener's proof that was read; null for anything else. */
export function readListenerProof(value: unknown): ListenerProof | null {
  const { type, mac } = fieldsOf(value);
  return type === 'proof' && typeof mac === 'string' ? { type, mac } : null;
}

/** A hello that was read; null for anything else. */
export function readHello(value: unknown): Hello | null {
  const { type, gateway, protocol, listingHash, nowMs } = fieldsOf(value);
  if (type !== 'hello' || !isId(gateway) || typeof protocol !== 'number') return null;
  if (typeof listingHash !== 'string' || typeof nowMs !== 'number') return null;
  return { type, gateway, protocol, listingHash, nowMs };
}

/** Why two gateways that know the same secret still cannot work together; null when they can. */
export function misfit(own: Hello, other: Hello, address: string): PeerRefusal | null {
  const of = { gateway: other.gateway, address };
  const there = `Gateway ${other.gateway} at ${address}`;
  const here = `this gateway (${own.gateway})`;
  if (own.protocol !== other.protocol)
    return {
      ...of,
      cause: 'protocol',
      sentence: `${there} speaks protocol ${other.protocol} and ${here} ${own.protocol}: they take part in no market together. Run the same version on both.`,
    };
  if (own.listingHash !== other.listingHash)
    return {
      ...of,
      cause: 'listing',
      sentence: `${there} sells something else than ${here}: their configurations have the hashes ${short(other.listingHash)} and ${short(own.listingHash)}. Give both the same models and pods.`,
    };
  if (Math.abs(own.nowMs - other.nowMs) > CLOCK_MS_MAX)
    return {
      ...of,
      cause: 'clock',
      sentence: `The clock of ${there.replace('Gateway', 'gateway')} says ${iso(other.nowMs)} and that of ${here} ${iso(own.nowMs)}: more than ${CLOCK_MS_MAX / 1000} s apart. Set the clocks of both machines.`,
    };
  return null;
}

/** The refusal of a gateway that does not know the secret. */
export function wrongSecret({ id: gateway, address }: PeerName): PeerRefusal {
  const sentence = `Gateway ${gateway} at ${address} has another SLUICE_PEER_SECRET. Set the same on all gateways.`;
  return { gateway, address, cause: 'secret', sentence };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isId(value: unknown): value is GatewayId {
  return Number.isSafeInteger(value);
}

function isNonce(value: unknown): value is string {
  return typeof value === 'string' && value.length === NONCE_LENGTH;
}

function short(hash: string): string {
  return hash.slice(0, 12);
}

/** A time that another gateway said may be none. */
function iso(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
