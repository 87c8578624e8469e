/**
 * The gateway for tests of the clients: complete, in a process of its own, with SQLite in a temporary folder (or the
 * empty database of DATABASE_URL) and simulated pods, in real time. The single slot of one market is taken at the start
 * and never released, so that an order sent there waits for as long as a scenario needs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { audited } from '#scripts/harness/audit.ts';
import { Client } from '#scripts/harness/client.ts';
import { Ledger } from '#scripts/harness/ledger.ts';
import { makeSite } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';

const MODELS = [marketModel('tide', 8), fixedModel('harbor', 8), marketModel('narrows', 1)] as const;
const CONFIGURATION = selling(MODELS, { drain_timeout_ms: 100, responses: { background: true } });
const CREDIT_USD = '100';
/** Half an hour of text, a word at a time. */
const LONG_SPEECH = { output_tokens: 1000, token_ms: 2000 };

const POLL_MS = 20;

/** A running gateway with the models of sdk-tests/README.md. */
export interface SdkGateway {
  readonly url: string;
  /** Opens an account with money and returns its key. */
  openAccount(name: string): Promise<string>;
  /** The findings of the audit; empty when all is right. */
  audit(): Promise<readonly string[]>;
  /** Kills it, and starts it again at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the gateway and takes the slot of `narrows`. */
export async function openSdkGateway(): Promise<SdkGateway> {
  const site = await makeSite(CONFIGURATION);
  let gateway = await site.start();
  const openAccount = async (name: string) => (await site.openAccount(name, CREDIT_USD)).apiKey;
  await takeSlot(gateway.url, await openAccount('occupant'));
  return {
    url: gateway.url,
    openAccount,
    audit: async () => (await audited(site)).findings,
    restart: async () => {
      await gateway.kill();
      gateway = await site.start();
    },
    close: async () => {
      await gateway.stop();
      site.remove();
    },
  };
}

/** Sends an order whose answer takes longer than any run, and waits until it has the slot. */
async function takeSlot(url: string, apiKey: string): Promise<void> {
  const client = new Client(new Ledger(null), { urls: [url] });
  const caller = { account: 'occupant', apiKey };
  const messages = [{ role: 'user', content: 'Talk.' }];
  const body = { model: 'narrows', messages, price_limit: 1000, detached: true, x_simulate: LONG_SPEECH };
  const { orderId } = await client.call(caller, '/v1/chat/completions', { body });
  for (let status = 'queued'; status === 'queued'; await sleep(POLL_MS)) {
    ({ status } = JSON.parse((await client.ask(caller, `/v1/orders/${orderId}`))?.text ?? ''));
    if (status !== 'queued' && status !== 'executing') throw new Error(`The order for the slot is ${status}.`);
  }
  await client.close();
}
