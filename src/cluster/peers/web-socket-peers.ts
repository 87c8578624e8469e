/**
 * Sessions with other gateways over WebSockets: the roster of peers, a port to be dialled at, and dials. Its order of
 * use: `listen` returns the address that the others are given, `start` who this gateway is, `follow` who the others are.
 */
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { PeerSettings } from '#base/peer-address.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId } from '../messages.ts';
import type { PeerListener, Peers } from '../ports.ts';
import type { DialOutcome, PeerName } from './connection.ts';
import { closeCodes } from './handshake.ts';
import { DIAL_MS, PeerRoster } from './peer-roster.ts';
import { WebSocketConnection } from './web-socket-connection.ts';
import { webSocketDial } from './web-socket-dial.ts';
import { greetAsListener, type Identity } from './web-socket-greeting.ts';
import type { PeerLine } from './web-socket-line.ts';
import { WebSocketPort } from './web-socket-port.ts';

/** What the transport needs. */
export interface WebSocketPeersOptions {
  readonly settings: PeerSettings;
  readonly protocol: number;
  /** The gateway's clock, as corrected by the database's; its timers are used too. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called with the other side's time before the messages of each frame. */
  readonly onPeerTime?: (nowMs: number) => void;
}

/** The peers of one gateway. */
export class WebSocketPeers implements Peers {
  readonly #options: WebSocketPeersOptions;
  readonly #port: WebSocketPort;
  #address = '';
  #roster: PeerRoster | null = null;
  readonly #lines = new Set<PeerLine>();

  constructor(options: WebSocketPeersOptions) {
    this.#options = options;
    this.#port = new WebSocketPort(options);
  }

  /** Listens, and resolves with the `host:port` for the others. Rejects with a sentence for the operator. */
  async listen(): Promise<string> {
    this.#address = await this.#port.listen();
    return this.#address;
  }

  /** The port that it listens on, which is another than that of its address where that is forwarded. */
  get boundPort(): number {
    return this.#port.boundPort;
  }

  /** Lets others in, as the gateway `id`. After `listen`, once. */
  start(id: GatewayId, listener: PeerListener): void {
    const { settings, protocol, clock, random, log } = this.#options;
    const self = { id, address: this.#address };
    const identity: Identity = { self, protocol, clock };
    const dial = webSocketDial(identity, settings.secret, (line, peer) => this.#connected(line, peer));
    const roster = new PeerRoster({ self: id, listener, dial, clock, random, log });
    this.#roster = roster;
    this.#port.admit((line) => void this.#called(line, identity, roster));
  }

  follow(gateways: readonly PeerName[]): void {
    this.#roster?.follow(gateways);
  }

  async close(): Promise<void> {
    await this.#roster?.close();
    for (const line of this.#lines) line.cut('this gateway ends');
    await this.#port.close();
  }

  async #called(line: PeerLine, identity: Identity, roster: PeerRoster): Promise<void> {
    const timer = identity.clock.after(DIAL_MS, () => line.cut('it does not answer'));
    const result = await greetAsListener(line, identity, (gateway) => roster.admits(gateway));
    timer.cancel();
    if (result.type === 'incompatible') roster.refuse(result.refusal);
    if (result.type !== 'fits') return;
    const { dialer } = result;
    if (roster.admits(dialer.id)) roster.accept(dialer, this.#connected(line, dialer).connection);
    else line.close(closeCodes.buried);
  }

  #connected(line: PeerLine, { id: gateway }: PeerName): Extract<DialOutcome, { type: 'open' }> {
    const { clock, log, onPeerTime = () => {} } = this.#options;
    this.#lines.add(line);
    const onEnd = () => void this.#lines.delete(line);
    return { type: 'open', connection: new WebSocketConnection({ line, clock, log, gateway, onPeerTime, onEnd }) };
  }
}
