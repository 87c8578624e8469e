/** A TCP proxy in front of a gateway's port for peers, which a test can cut, silence and shut. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** One proxy on a free port of loopback. */
export class PeerProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [near: Socket, far: Socket]>();
  #toward = true;
  #back = true;
  target = 0;

  constructor() {
    this.#server = createServer((near) => {
      const far = connect({ host: '127.0.0.1', port: this.target });
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      this.#apply(pair);
      for (const socket of pair) {
        socket.on('error', () => {});
        socket.on('close', () => {
          near.destroy();
          far.destroy();
          this.#pairs.delete(pair);
        });
      }
    });
  }

  /** On a port that nobody else gets when the proxy is closed: who dials it then is refused. */
  async listen(): Promise<number> {
    const port = await freePort();
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return port;
  }

  /** Whether bytes pass toward the gateway, and back from it. Those that do not wait. */
  pass(toward: boolean, back: boolean): void {
    [this.#toward, this.#back] = [toward, back];
    for (const pair of this.#pairs) this.#apply(pair);
  }

  /** Breaks every connection; new ones can be made. */
  reset(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  /** Breaks every connection and listens no more. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : null;
    this.#server.close();
    this.reset();
    await closed;
  }

  #apply([near, far]: readonly [Socket, Socket]): void {
    near.unpipe(far).pause();
    far.unpipe(near).pause();
    if (this.#toward) near.pipe(far);
    if (this.#back) far.pipe(near);
  }
}
