/** A connection to a database server that breaks at the worst moment. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The fate of the next message: its answer is lost, it is lost, or the client is gone while the server works on it. */
type Loss = 'answer' | 'message' | 'client';

interface PlannedLoss {
  readonly kind: Loss;
  readonly text: string;
  done(): void;
}

/** A TCP proxy that breaks a connection where the test says so. */
export class BreakingLink {
  readonly #to: { host: string; port: number };
  readonly #server: Server = createServer((near) => this.#join(near));
  readonly #sockets = new Set<Socket>();
  #loss: PlannedLoss | null = null;

  constructor(url: string) {
    const { hostname: host, port } = new URL(url);
    this.#to = { host, port: Number(port) };
  }

  /** Listens, and returns the URL of what it passes on to `url`. */
  async open(url: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    assert.ok(address && typeof address === 'object');
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(address.port) }).href;
  }

  /**
   * Breaks the connection with the next message that contains `text`. Resolves when the server has dealt with it, or will
   * never get it.
   */
  lose(kind: Loss, text = ''): Promise<void> {
    return new Promise((done) => {
      this.#loss = { kind, text, done };
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    const far = connect(this.#to);
    let loss: PlannedLoss | null = null;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        near.destroy();
        if (loss?.kind !== 'client') far.destroy();
      });
    }
    near.on('data', (bytes) => {
      if (this.#loss && bytes.includes(this.#loss.text)) [loss, this.#loss] = [this.#loss, null];
      if (loss?.kind !== 'message') far.write(bytes);
      if (loss && loss.kind !== 'answer') near.destroy();
      if (loss?.kind === 'message') loss.done();
    });
    far.on('data', (bytes) => {
      if (!loss) return void near.write(bytes);
      near.destroy();
      far.destroy();
      loss.done();
    });
  }
}
