/** Both sides of the handshake (`handshake.ts`) over a line. */
import type { Clock } from '#base/clock.ts';
import { isGreeting, isHello } from '#generated/schemas/peer-message.js';
import type { GatewayId, Hello } from '../messages.ts';
import type { DialOutcome, DialPurpose, PeerName, PeerRefusal } from './connection.ts';
import { closeCodes, type Greeting, misfit } from './handshake.ts';
import { LineEnd, type PeerLine } from './web-socket-line.ts';

/** What a gateway says about itself. */
export interface Identity {
  readonly self: PeerName;
  readonly protocol: number;
  readonly clock: Clock;
}

/** The result of a dial: the line may be used, or the reason it may not. */
type DialerResult = { readonly type: 'fits' } | Exclude<DialOutcome, { type: 'open' }>;

/** Greets the gateway that was dialled. Never rejects; closes the line unless both fit. */
export async function greetAsDialer(
  line: PeerLine,
  identity: Identity,
  peer: PeerName,
  purpose: DialPurpose,
): Promise<DialerResult> {
  const { id: gateway, address } = identity.self;
  try {
    line.send(JSON.stringify({ type: 'greeting', purpose, gateway, address, to: peer.id } satisfies Greeting));
    const refusal = await exchangeHellos(line, identity, peer);
    return refusal ? { type: 'incompatible', refusal } : { type: 'fits' };
  } catch (end) {
    if (!(end instanceof LineEnd)) throw end;
    return outcomeOf(end);
  }
}

type ListenerResult =
  | { readonly type: 'fits'; readonly dialer: PeerName }
  | { readonly type: 'nothing' }
  | { readonly type: 'incompatible'; readonly refusal: PeerRefusal };

/** The other side of it. Never rejects; closes the line unless both fit. */
export async function greetAsListener(
  line: PeerLine,
  identity: Identity,
  admits: (gateway: GatewayId) => boolean,
): Promise<ListenerResult> {
  try {
    const first = parsed(await line.next());
    if (!isGreeting(first)) return closed(line, closeCodes.malformed);
    const greeting = first as Greeting;
    if (greeting.to !== identity.self.id) return closed(line, closeCodes.another);
    const dialer = { id: greeting.gateway, address: greeting.address };
    if (!admits(dialer.id)) return closed(line, closeCodes.buried);
    if (greeting.purpose === 'probe') return closed(line, closeCodes.alive);
    const refusal = await exchangeHellos(line, identity, dialer);
    return refusal ? { type: 'incompatible', refusal } : { type: 'fits', dialer };
  } catch (end) {
    if (!(end instanceof LineEnd)) throw end;
    return { type: 'nothing' };
  }
}

/** Both hellos always pass, so that both sides can say why they do not fit. */
async function exchangeHellos(line: PeerLine, identity: Identity, peer: PeerName): Promise<PeerRefusal | null> {
  const { self, protocol, clock } = identity;
  const hello = (): Hello => ({ type: 'hello', gateway: self.id, protocol, nowMs: clock.nowMs() });
  line.send(JSON.stringify(hello()));
  const answer = parsed(await line.next());
  const other = isHello(answer) ? (answer as Hello) : null;
  if (other?.gateway !== peer.id) {
    line.close(closeCodes.malformed);
    throw new LineEnd(closeCodes.malformed, 'it said no hello');
  }
  const refusal = misfit(hello(), other, peer.address);
  if (refusal) line.close(closeCodes.incompatible);
  return refusal;
}

function outcomeOf({ code, message: reason }: LineEnd): DialerResult {
  if (code === closeCodes.alive) return { type: 'alive' };
  if (code === closeCodes.another) return { type: 'gone' };
  return { type: 'failed', reason };
}

function closed(line: PeerLine, code: number): { readonly type: 'nothing' } {
  line.close(code);
  return { type: 'nothing' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
