/** Dials the port of another gateway: connects, and greets it. */
import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import type { Dial, DialOutcome, PeerName } from './connection.ts';
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
    let line: PeerLine | null = null;
    let over = false;
    const finish = (outcome: DialOutcome | null) => {
      if (over) return;
      over = true;
      timer.cancel();
      if (outcome?.type !== 'open') line?.cut('given up');
      if (outcome) done(outcome);
    };
    const timer = identity.clock.after(timeoutMs, () => finish({ type: 'failed', reason: 'it does not answer' }));
    const attempt = async (): Promise<PeerLine | DialOutcome> => {
      try {
        const socket = openSocket(peer, secret);
        line = new PeerLine(socket, identity.clock);
        await once(socket, 'open');
        const result = await greetAsDialer(line, identity, peer, purpose);
        return result.type === 'fits' ? line : result;
      } catch (error) {
        return outcomeOf(error, peer);
      }
    };
    void attempt().then((result) => {
      if (!(result instanceof PeerLine)) finish(result);
      else if (!over) finish(connected(result, peer));
    });
    return () => finish(null);
  };
}

function openSocket({ address }: PeerName, secret: string): WebSocket {
  const options = {
    ...lineOptions,
    ...dialerTls(secret),
    // Masks protect proxies from browsers; there is neither here, and ws skips a mask of zeros.
    generateMask: (mask: Buffer) => void mask.fill(0),
  };
  // It passes all options on to `tls.connect`; its types do not say so.
  return new WebSocket(`wss://${address}${PEER_PATH}`, options as ClientOptions);
}

function outcomeOf(error: unknown, peer: PeerName): DialOutcome {
  if (isOtherSecret(error)) return { type: 'incompatible', refusal: wrongSecret(peer) };
  if (!(error instanceof Error)) return { type: 'failed', reason: String(error) };
  return 'code' in error && error.code === 'ECONNREFUSED'
    ? { type: 'gone' }
    : { type: 'failed', reason: error.message };
}
