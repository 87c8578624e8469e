/**
 * The clients of a soak: each sends one order after another, and a share of them disconnects, at every possible moment.
 * Orders are small and pods are fast, so that a million end within minutes; the clients themselves cost little.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { type Random, seededRandom } from '#base/random.ts';

/** Where the clients send orders, and how. */
export interface SoakClientsOptions {
  readonly url: string;
  readonly keys: readonly string[];
  readonly orders: number;
  readonly clients: number;
  readonly abortedShare: number;
  readonly seed: number;
}

/** When a client disconnects: never, some milliseconds after its request, or after some pieces of the answer. */
type Leaving = { readonly kind: 'stays' } | { readonly kind: 'after-ms' | 'after-chunks'; readonly count: number };

interface Plan {
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly leaving: Leaving;
}

/** The statuses that these clients may get; any other is a finding. */
const EXPECTED = new Set([200, 202]);

/** Running clients. */
export class SoakClients {
  /** Resolves when every order has ended for its client. */
  readonly done: Promise<unknown>;
  ended = 0;
  left = 0;
  readonly #options: SoakClientsOptions;
  readonly #random: Random;
  readonly #pool: Pool;
  readonly #answers = new Map<string, number>();
  #sent = 0;

  constructor(options: SoakClientsOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#pool = new Pool(options.url, { connections: options.clients, pipelining: 1 });
    this.done = Promise.all(Array.from({ length: options.clients }, () => this.#client()));
  }

  /** Answers and errors that no client should have got. */
  findings(): string[] {
    return [...this.#answers]
      .filter(([answer]) => !EXPECTED.has(Number(answer)))
      .map(([answer, count]) => `${count} clients got: ${answer}`);
  }

  summary(): string {
    const answers = [...this.#answers].map(([answer, count]) => `${count} answered ${answer}`);
    return `${this.ended} orders: ${[...answers, `${this.left} left`].join(', ')}`;
  }

  async #client(): Promise<void> {
    while (this.#sent < this.#options.orders) {
      const plan = this.#plan(this.#sent++);
      await this.#order(plan).catch((error: unknown) => this.#note(String(error)));
      this.ended++;
    }
  }

  async #order(plan: Plan): Promise<void> {
    const { leaving } = plan;
    const gone = new AbortController();
    // A client that disconnects learns nothing: what its own disconnect breaks is not a finding.
    const asked = this.#ask(plan, gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    if (leaving.kind !== 'after-ms') return asked;
    await Promise.race([asked, sleep(leaving.count)]);
    this.left++;
    gone.abort();
    await asked;
  }

  async #ask({ body, headers, leaving }: Plan, signal: AbortSignal): Promise<void> {
    const { statusCode, body: answer } = await this.#pool.request({
      ...{ path: '/v1/chat/completions', method: 'POST' as const, signal },
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (leaving.kind !== 'after-chunks') {
      await answer.dump({ limit: Number.MAX_SAFE_INTEGER });
      this.#note(String(statusCode));
      return;
    }
    await readSome(answer, leaving.count);
    this.left++;
  }

  #note(answer: string): void {
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1);
  }

  #plan(number: number): Plan {
    const { keys, abortedShare, seed } = this.#options;
    const authorization = `Bearer ${keys[number % keys.length]}`;
    if (this.#chance(abortedShare)) return { headers: { authorization }, ...this.#leaver() };
    const stream = this.#chance(1 / 4);
    const keyed = this.#chance(1 / 50) ? { 'idempotency-key': `soak-${seed}-${number}` } : {};
    const detached = !stream && this.#chance(1 / 50);
    const body = this.#body(this.#chance(1 / 4) ? 'harbor' : 'tide', {
      first_token_ms: 1,
      token_ms: 1,
      output_tokens: 3,
    });
    return { headers: { authorization, ...keyed }, body: { ...body, stream, detached }, leaving: { kind: 'stays' } };
  }

  /** Disconnects while queued (that model has no pods), before the first token, or in mid-stream. */
  #leaver(): Pick<Plan, 'body' | 'leaving'> {
    const ms = { kind: 'after-ms', count: 1 + Math.floor(this.#random.next() * 25) } as const;
    const stream = this.#chance(1 / 2);
    const moment = Math.floor(this.#random.next() * 3);
    if (moment === 0) return { body: { ...this.#body('ebb', {}), stream }, leaving: ms };
    if (moment === 1) return { body: { ...this.#body('tide', { first_token_ms: 60 }), stream }, leaving: ms };
    const body = this.#body('tide', { first_token_ms: 1, token_ms: 3, output_tokens: 20 });
    const count = 1 + Math.floor(this.#random.next() * 6);
    return { body: { ...body, stream: true }, leaving: { kind: 'after-chunks', count } };
  }

  #body(model: string, simulate: object): object {
    return {
      model,
      messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
      max_tokens: 32,
      price_limit: 1 + Math.floor(this.#random.next() * 50),
      x_simulate: simulate,
    };
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

/** Reads some pieces of a stream and then closes the connection. */
async function readSome(answer: Dispatcher.ResponseData['body'], count: number): Promise<void> {
  let read = 0;
  for await (const _ of answer) if (++read >= count) break;
}
