/**
 * Clients that leave detached orders with one gateway and cancel or reprice them at another. What was acknowledged must
 * stay true: an order that was taken is found, and one whose cancellation was confirmed is canceled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { type Owner, untilIdle } from '../books/usage-records.ts';

const PAUSE_MS = 20;
/** Too low to run while others bid. */
const LOW_LIMIT = 1;

/** What the gateways have acknowledged to one account. */
export class Meddlers {
  readonly #accepted = new Set<string>();
  readonly #canceled = new Set<string>();
  readonly #random: Random;
  repriced = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** How many orders were taken, and how many of them canceled. */
  get counts(): { readonly accepted: number; readonly canceled: number } {
    return { accepted: this.#accepted.size, canceled: this.#canceled.size };
  }

  /** Meddles until `stopped`. Errors of connections are part of the game. */
  async run(owners: readonly Owner[], clients: number, stopped: () => boolean): Promise<void> {
    const client = async () => {
      while (!stopped()) {
        await this.#meddle(owners).catch(() => {});
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** What was acknowledged and is not so, as sentences. Rejects when the gateway cannot say; then it can be repeated. */
  async compare(owner: Owner): Promise<string[]> {
    await untilIdle(owner);
    const findings: string[] = [];
    for (const id of this.#accepted) {
      const { status, body } = await ask(owner, `/v1/orders/${id}`);
      if (status >= 500) throw new Error(`order ${id} is answered with ${status}`);
      if (status !== 200) findings.push(`order ${id} was accepted, and is answered with ${status}`);
      else if (this.#canceled.has(id) && body.status !== 'canceled')
        findings.push(`order ${id} was canceled, and is ${body.status}`);
    }
    this.#accepted.clear();
    this.#canceled.clear();
    return findings;
  }

  async #meddle(owners: readonly Owner[]): Promise<void> {
    const { status, body } = await ask(this.#any(owners), '/v1/chat/completions', {
      model: this.#random.next() < 0.7 ? 'tide' : 'harbor',
      messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
      max_tokens: 4,
      price_limit: LOW_LIMIT,
      detached: true,
      x_simulate: { first_token_ms: 15, token_ms: 4 },
    });
    if (status !== 202) return;
    const id = String(body.id ?? body.order_id);
    this.#accepted.add(id);
    const other = this.#any(owners);
    if (this.#random.next() < 0.5) {
      const canceled = await ask(other, `/v1/orders/${id}/cancel`, {});
      if (canceled.status === 200) this.#canceled.add(id);
    } else {
      const repriced = await ask(other, '/v1/orders/price', { ids: [id], price_limit: 20 });
      if (repriced.status === 200) this.repriced++;
    }
  }

  #any(owners: readonly Owner[]): Owner {
    const owner = owners[Math.floor(this.#random.next() * owners.length)];
    if (!owner) throw new Error('there is no gateway');
    return owner;
  }
}

async function ask({ url, apiKey }: Owner, path: string, body?: object) {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}
