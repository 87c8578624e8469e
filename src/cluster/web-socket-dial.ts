/** Dials the port of another gateway: finds its address, connects, and proves itself. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { WebSocket } from 'ws';
import { formatPeerAddress, isPrivateIp, parsePeerAddress } from '#base/peer-address.ts';
import type { Dial, DialOutcome, DialPurpose, PeerName } from './connection.ts';
import { boundEarlyBytes } from './early-bytes.ts';
import { lineOptions, PeerLine } from './web-socket-line.ts';
import { type Identity, proveAsDialer } from './web-socket-proof.ts';

/** The path of the port; any other is 404. */
export const PEER_PATH = '/peer';

/** Dials on behalf of `identity`. `connect` makes a connection of a line that has proved itself. */
export function webSocketDial(
  identity: Identity,
  connect: (line: PeerLine, peer: PeerName) => Extract<DialOutcome, { type: 'open' }>,
): Dial {
  return (peer, { purpose, timeoutMs }, done) => {
    const attempt = new Attempt(identity, peer, purpose);
    let over = false;
    const finish = (outcome: DialOutcome | null) => {
      if (over) return;
      over = true;
      timer.cancel();
      if (outcome?.type !== 'open') attempt.giveUp();
      if (outcome) done(outcome);
    };
    const timer = identity.clock.after(timeoutMs, () => finish({ type: 'failed', reason: 'it does not answer' }));
    void attempt.run().then((result) => {
      if (result.type !== 'proved') finish(result);
      else if (!over) finish(connect(result.line, peer));
    });
    return () => finish(null);
  };
}

type Result = { readonly type: 'proved'; readonly line: PeerLine } | Exclude<DialOutcome, { type: 'open' }>;

/** One dial, which never rejects. */
class Attempt {
  readonly #identity: Identity;
  readonly #peer: PeerName;
  readonly #purpose: DialPurpose;
  #line: PeerLine | null = null;
  #givenUp = false;

  constructor(identity: Identity, peer: PeerName, purpose: DialPurpose) {
    this.#identity = identity;
    this.#peer = peer;
    this.#purpose = purpose;
  }

  async run(): Promise<Result> {
    try {
      const url = await urlOf(this.#peer.address);
      if (this.#givenUp) return { type: 'failed', reason: 'given up' };
      const { line, release } = await this.#connect(url);
      const result = await proveAsDialer(line, this.#identity, this.#peer, this.#purpose);
      release();
      return result.type === 'proved' ? { type: 'proved', line } : result;
    } catch (error) {
      return isRefusal(error) ? { type: 'gone' } : { type: 'failed', reason: reasonOf(error) };
    }
  }

  giveUp(): void {
    this.#givenUp = true;
    this.#line?.cut('given up');
  }

  #connect(url: string): Promise<{ line: PeerLine; release: () => void }> {
    // Masks protect proxies from browsers; there is neither here, and ws skips a mask of zeros.
    const socket = new WebSocket(url, { ...lineOptions, generateMask: (mask) => void mask.fill(0) });
    const line = new PeerLine(socket, this.#identity.clock);
    this.#line = line;
    return new Promise((resolve, reject) => {
      // Not at the upgrade: what came with its answer would be lost before ws listens.
      socket.on('upgrade', (response) => {
        socket.once('open', () => resolve({ line, release: boundEarlyBytes(response.socket) }));
      });
      socket.on('error', reject);
    });
  }
}

/** An address that the public could listen in on is not dialled: a name may resolve to one. */
async function urlOf(address: string): Promise<string> {
  const parsed = parsePeerAddress(address);
  if (!parsed) throw new Error(`${address} is no address`);
  const host = isIP(parsed.host) ? parsed.host : (await lookup(parsed.host)).address;
  if (!isPrivateIp(host)) throw new Error(`${address} resolves to ${host}, a public address`);
  return `ws://${formatPeerAddress({ host, port: parsed.port })}${PEER_PATH}`;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
