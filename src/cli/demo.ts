/** `demo`: a market to look at, in a folder of its own that is deleted at the end. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemClock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { readableLines } from '#base/readable-log.ts';
import { type Demo, openDemo } from '#simulations/demo/demo.ts';
import { MODELS_BOUNDS } from '#simulations/demo/models.ts';
import { signInLink } from './members.ts';
import { CommandError, facts, faint, refuse, strong, WrongValue } from './output.ts';
import { addressOf, pagesAddressOf } from './welcome.ts';

/** The options as they were typed. */
export interface TypedDemo {
  readonly port: string;
  readonly seed: string;
  readonly models: string;
  readonly orders: string;
  readonly empty?: boolean;
  readonly json?: boolean;
}

const HOST = '127.0.0.1';
const ORDERS_MAX = 100_000;
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a demo until a signal ends it. Exits 2 for a wrong option, and 1 if it cannot start. */
export async function runDemo(typed: TypedDemo): Promise<void> {
  // From the first moment on and to the last, so that no folder is left: under npx, Ctrl+C arrives twice.
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (const signal of ENDINGS) process.on(signal, () => end());
  try {
    const demo = await Promise.race([open(typed), ended]);
    if (!demo) process.exit(0);
    console.log(typed.json ? JSON.stringify(addressesOf(demo)) : welcome(demo));
    await ended;
    await demo.close();
    process.exit(0);
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error), typed);
    process.exit(error instanceof CommandError ? error.exitCode : 1);
  }
}

async function open({ empty = false, json = false, ...typed }: TypedDemo): Promise<Demo> {
  const options = {
    port: whole('port', typed.port, { min: 0, max: 65_535 }),
    seed: whole('seed', typed.seed, { min: 0, max: 999_999_999 }),
    models: whole('models', typed.models, MODELS_BOUNDS),
    orders: whole('orders', typed.orders, { min: 0, max: ORDERS_MAX }),
  };
  if (!json) console.error(faint(empty ? 'Opening an empty market…' : 'Writing 30 days of history…'));
  const log = createLog('error', process.stderr.isTTY ? readableLines(process.stderr) : process.stderr);
  try {
    await assertFree(options.port);
    return await openDemo({ ...options, empty, clock: systemClock, log });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new CommandError(`Port ${options.port} is in use; name another with --port, or any free one with --port 0.`);
  }
}

/** Rejects as listening does: who must name another port need not wait for a history. */
async function assertFree(port: number): Promise<void> {
  const tried = createServer().listen(port, HOST);
  await once(tried, 'listening');
  tried.close();
}

/** A whole number within its bounds. Throws WrongValue. */
function whole(name: string, text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw new WrongValue(`--${name} is ${text}; write a whole number from ${min} to ${max}.`);
}

function addressesOf({ port, localhost, key, links }: Demo) {
  const url = addressOf({ host: HOST, port });
  const pages = localhost ? pagesAddressOf({ host: HOST, port }) : url;
  const [buyer, operator] = [links.buyer, links.operator].map((token) => signInLink(pages, token));
  return { url, market: `${pages}/`, buyer_link: buyer, operator_link: operator, api_key: key };
}

function welcome(demo: Demo): string {
  const { market, buyer_link, operator_link, api_key } = addressesOf(demo);
  const lines = [
    ['market', market],
    ['as a buyer', String(buyer_link)],
    ['as the operator', String(operator_link)],
    ['API key', api_key],
  ] as const;
  return [
    '',
    `${strong('Sluice')} sells inference at a market with a past, traders, and a pod that is down`,
    '',
    facts(lines),
    '',
    faint('Each link signs in once; a browser has one session, so open the second in a private window.'),
    faint('Ctrl+C ends the demo and deletes its data.'),
  ].join('\n');
}
