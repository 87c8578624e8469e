/** Both sides of the handshake (`handshake.ts`) over a line. */
import type { Clock } from '#base/clock.ts';
import { secretText } from '#base/id.ts';
import type { DialOutcome, DialPurpose, PeerName, PeerRefusal } from './connection.ts';
import {
  closeCodes,
  type DialerProof,
  isProof,
  misfit,
  NONCE_LENGTH,
  type Parties,
  proofOf,
  readChallenge,
  readDialerProof,
  readHello,
  readListenerProof,
  wrongSecret,
} from './handshake.ts';
import type { GatewayId, Hello } from './messages.ts';
import { LineEnd, type PeerLine } from './web-socket-line.ts';

/** What a gateway says of itself. */
export interface Identity {
  readonly self: PeerName;
  readonly secret: string;
  readonly protocol: number;
  readonly listingHash: string;
  readonly clock: Clock;
}

/** What a dialer learns: the line may be used, or what came of it instead. */
export type DialerResult = { readonly type: 'proved' } | Exclude<DialOutcome, { type: 'open' }>;

/** Proves itself to the gateway that was dialled, and has it prove itself. Never rejects; closes the line unless proved. */
export async function proveAsDialer(
  line: PeerLine,
  identity: Identity,
  peer: PeerName,
  purpose: DialPurpose,
): Promise<DialerResult> {
  try {
    const challenge = readChallenge(parsed(await line.next()));
    if (!challenge) return failed(line, 'it is no gateway');
    const parties: Parties = {
      ...{ purpose, dialer: identity.self, listener: peer },
      ...{ dialerNonce: secretText(NONCE_LENGTH), listenerNonce: challenge.nonce },
    };
    const proof: DialerProof = {
      ...{ type: 'proof', purpose, gateway: identity.self.id, address: identity.self.address, to: peer.id },
      ...{ nonce: parties.dialerNonce, mac: proofOf(identity.secret, 'dialer', parties) },
    };
    line.send(JSON.stringify(proof));
    const answer = readListenerProof(parsed(await line.next()));
    if (!answer) return failed(line, 'it is no gateway');
    if (!isProof(answer.mac, proofOf(identity.secret, 'listener', parties))) {
      line.close(closeCodes.secret);
      return { type: 'incompatible', refusal: wrongSecret(peer) };
    }
    const refusal = await exchangeHellos(line, identity, peer);
    return refusal ? { type: 'incompatible', refusal } : { type: 'proved' };
  } catch (end) {
    if (!(end instanceof LineEnd)) throw end;
    return outcomeOf(end, peer);
  }
}

/** What a listener learns. `stranger`: it did not prove that it knows the secret. */
export type ListenerResult =
  | { readonly type: 'proved'; readonly dialer: PeerName }
  | { readonly type: 'stranger' | 'nothing' }
  | { readonly type: 'incompatible'; readonly refusal: PeerRefusal };

/** The other side of it. Never rejects; closes the line unless proved. `onKnown` when the dialer knows the secret. */
export async function proveAsListener(
  line: PeerLine,
  identity: Identity,
  { admits, onKnown }: { readonly admits: (gateway: GatewayId) => boolean; readonly onKnown: () => void },
): Promise<ListenerResult> {
  try {
    const listenerNonce = secretText(NONCE_LENGTH);
    line.send(JSON.stringify({ type: 'challenge', nonce: listenerNonce }));
    const proof = readDialerProof(parsed(await line.next()));
    if (!proof) return closed(line, closeCodes.malformed, 'stranger');
    if (proof.to !== identity.self.id) return closed(line, closeCodes.another, 'nothing');
    const dialer = { id: proof.gateway, address: proof.address };
    const parties: Parties = {
      ...{ purpose: proof.purpose, dialer, listener: identity.self },
      ...{ dialerNonce: proof.nonce, listenerNonce },
    };
    if (!isProof(proof.mac, proofOf(identity.secret, 'dialer', parties)))
      return closed(line, closeCodes.secret, 'stranger');
    onKnown();
    if (!admits(dialer.id)) return closed(line, closeCodes.buried, 'nothing');
    if (proof.purpose === 'probe') return closed(line, closeCodes.alive, 'nothing');
    line.send(JSON.stringify({ type: 'proof', mac: proofOf(identity.secret, 'listener', parties) }));
    const refusal = await exchangeHellos(line, identity, dialer);
    return refusal ? { type: 'incompatible', refusal } : { type: 'proved', dialer };
  } catch (end) {
    if (!(end instanceof LineEnd)) throw end;
    return { type: 'nothing' };
  }
}

/** Both hellos always pass, so that both sides can say why they do not fit. */
async function exchangeHellos(line: PeerLine, identity: Identity, peer: PeerName): Promise<PeerRefusal | null> {
  const { self, protocol, listingHash, clock } = identity;
  const hello = (): Hello => ({ type: 'hello', gateway: self.id, protocol, listingHash, nowMs: clock.nowMs() });
  line.send(JSON.stringify(hello()));
  const other = readHello(parsed(await line.next()));
  if (!other || other.gateway !== peer.id) {
    line.close(closeCodes.malformed);
    throw new LineEnd(closeCodes.malformed, 'it said no hello');
  }
  const refusal = misfit(hello(), other, peer.address);
  if (refusal) line.close(closeCodes.incompatible);
  return refusal;
}

function outcomeOf({ code, message: reason }: LineEnd, peer: PeerName): DialerResult {
  if (code === closeCodes.alive) return { type: 'alive' };
  if (code === closeCodes.another) return { type: 'gone' };
  if (code === closeCodes.secret) return { type: 'incompatible', refusal: wrongSecret(peer) };
  return { type: 'failed', reason };
}

function failed(line: PeerLine, reason: string): DialerResult {
  line.close(closeCodes.malformed);
  return { type: 'failed', reason };
}

function closed<Type extends 'stranger' | 'nothing'>(
  line: PeerLine,
  code: number,
  type: Type,
): { readonly type: Type } {
  line.close(code);
  return { type };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
