/**
 * Programs that follow a stream that is cut: they run behind a proxy that cuts the first one in its middle, and print
 * each event all the same, once and in order.
 */
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';

/** More than the headers of an answer, and less than the shortest stream of a simulated pod. */
const CUT_AFTER_BYTES = 2000;

/** The end of a stream, where a client shows it, or the last event before that has text. */
const ENDED = /^\d+ (\[DONE\]$|\{.*"finish_reason": ?")/m;

/** In front of a gateway: passes everything on, but the connection of the first stream is closed in its middle. */
export interface CuttingProxy {
  readonly url: string;
  /** How many streams it has cut: 0 or 1. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Starts a proxy for the gateway at `url`. */
export async function openCuttingProxy(url: string): Promise<CuttingProxy> {
  let cuts = 0;
  const proxy = new TcpProxy(() => {
    let left = Number.POSITIVE_INFINITY;
    return (direction, bytes, end) => {
      if (direction === 'toward') {
        if (cuts === 0 && /^GET \S*\/stream/.test(bytes.toString('latin1'))) left = CUT_AFTER_BYTES;
        return bytes;
      }
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      if (left > 0) return passed;
      if (passed.length > 0) cuts++;
      end();
      return passed;
    };
  });
  const { hostname: host, port } = new URL(url);
  proxy.target = { host, port: Number(port) };
  const own = await proxy.listen();
  return {
    url: `http://127.0.0.1:${own}`,
    get cuts() {
      return cuts;
    },
    close: () => proxy.close(),
  };
}

/**
 * Runs a program that prints `NUMBER TEXT` for each event of an order's stream, while its first connection is cut.
 * Throws CommandFailed when an event is missing or there twice, or when nothing was cut.
 */
export async function follow(command: ShellCommand, url: string): Promise<void> {
  const proxy = await openCuttingProxy(url);
  try {
    const printed = await runCommand({
      ...command,
      env: { ...command.env, SLUICE_URL: proxy.url, SLUICE_BASE_URL: proxy.url },
    });
    const numbers = Array.from(printed.matchAll(/^(\d+) (?:\{|\[DONE\]$)/gm), ([, number]) => Number(number));
    const whole = numbers.length > 1 && numbers.every((number, index) => number === index);
    if (!whole || !ENDED.test(printed))
      throw new CommandFailed('The program did not print each event once and in order.', printed);
    if (proxy.cuts !== 1) throw new CommandFailed('The stream was not cut.', printed);
  } finally {
    await proxy.close();
  }
}
