/** Dials the port of another gateway: connects, and greets it. */
import { type ClientOptions, WebSocket } from 'ws';
import type { Dial, DialOutcome, DialPurpose, PeerName } from './connection.ts';
import { wrongSecret } from './handshake.ts';
import { dialerTls, isOtherSecret } from './peer-tls.ts';
import { greetAsDialer, type Identity } from './web-socket-greeting.ts';
import { lineOptions, PeerLine } from './web-socket-line.ts';

/** The path of the port; any other is 404. */
export const PEER_PATH = '/peer';

/** Dials on behalf of `identity`. `connected` makes a connection of a line whose other end fits. */
export function webSocketDial(
  identity: Identity,
  secret: string,
  connected: (line: PeerLine, peer: PeerName) => Extract<DialOutcome, { type: 'open' }>,
): Dial {
  return (peer, { purpose, timeoutMs }, done) => {
    const attempt = new Attempt(identity, secret, peer, purpose);
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
      if (result.type !== 'fits') finish(result);
      else if (!over) finish(connected(result.line, peer));
    });
    return () => finish(null);
  };
}

type Result = { readonly type: 'fits'; readonly line: PeerLine } | Exclude<DialOutcome, { type: 'open' }>;

/** One dial, which never rejects. */
class Attempt {
  readonly #identity: Identity;
  readonly #secret: string;
  readonly #peer: PeerName;
  readonly #purpose: DialPurpose;
  #line: PeerLine | null = null;

  constructor(identity: Identity, secret: string, peer: PeerName, purpose: DialPurpose) {
    this.#identity = identity;
    this.#secret = secret;
    this.#peer = peer;
    this.#purpose = purpose;
  }

  async run(): Promise<Result> {
    try {
      const line = await this.#connect();
      const result = await greetAsDialer(line, this.#identity, this.#peer, this.#purpose);
      return result.type === 'fits' ? { type: 'fits', line } : result;
    } catch (error) {
      if (isOtherSecret(error)) return { type: 'incompatible', refusal: wrongSecret(this.#peer) };
      return isRefusal(error) ? { type: 'gone' } : { type: 'failed', reason: reasonOf(error) };
    }
  }

  giveUp(): void {
    this.#line?.cut('given up');
  }

  #connect(): Promise<PeerLine> {
    const options = {
      ...lineOptions,
      ...dialerTls(this.#secret),
      // Masks protect proxies from browsers; there is neither here, and ws skips a mask of zeros.
      generateMask: (mask: Buffer) => void mask.fill(0),
    };
    // It passes all options on to `tls.connect`; its types do not say so.
    const socket = new WebSocket(`wss://${this.#peer.address}${PEER_PATH}`, options as ClientOptions);
    const line = new PeerLine(socket, this.#identity.clock);
    this.#line = line;
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(line));
      socket.on('error', reject);
    });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
