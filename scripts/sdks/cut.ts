/**
 * Programs that follow a stream that is cut: they run behind a proxy that cuts the first one in its middle, and print
 * each event all the same, once and in order.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';

/** More than the headers of an answer, and less than the shortest stream of a simulated pod. */
const CUT_AFTER_BYTES = 2000;

/** In front of a gateway: passes everything on, but the connection of the first stream is closed in its middle. */
export interface CuttingProxy {
  readonly url: string;
  /** How many streams it has cut: 0 or 1. */
  readonly cuts: number;
  close(): void;
}

/** Starts a proxy for the gateway at `url`. */
export async function openCuttingProxy(url: string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const gateway = connect(Number(new URL(url).port), new URL(url).hostname);
    for (const socket of [client, gateway]) {
      sockets.add(socket);
      socket.on('close', () => {
        client.destroy();
        gateway.destroy();
      });
      // A close follows.
      socket.on('error', () => {});
    }
    let left = Number.POSITIVE_INFINITY;
    client.on('data', (piece) => {
      if (cuts === 0 && /^GET \S*\/stream/.test(piece.toString('latin1'))) left = CUT_AFTER_BYTES;
      gateway.write(piece);
    });
    gateway.on('data', (piece) => {
      const passed = piece.subarray(0, left);
      left -= passed.length;
      if (left > 0) return void client.write(passed);
      if (passed.length > 0) cuts++;
      client.write(passed, () => client.destroy());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Runs a program that prints `NUMBER TEXT` for each event of an order's stream, while its first connection is cut.
 * Throws CommandFailed when an event is missing or there twice, or when nothing was cut.
 */
export async function follow(command: ShellCommand, url: string): Promise<void> {
  const proxy = await openCuttingProxy(url);
  try {
    const printed = await runCommand({ ...command, env: { ...command.env, SLUICE_URL: proxy.url } });
    const numbers = Array.from(printed.matchAll(/^(\d+) (?:\{|\[DONE\]$)/gm), ([, number]) => Number(number));
    const whole = numbers.length > 1 && numbers.every((number, index) => number === index);
    if (!whole || !/^\d+ \[DONE\]$/.test(printed.split('\n').at(-1) ?? ''))
      throw new CommandFailed('The program did not print each event once and in order.', printed);
    if (proxy.cuts !== 1) throw new CommandFailed('The stream was not cut.', printed);
  } finally {
    proxy.close();
  }
}
