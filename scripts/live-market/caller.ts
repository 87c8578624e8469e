/** Sends requests to a gateway, and counts the answers that nobody should have got. */
import { Pool } from 'undici';

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a gateway answers is read field by field, as any client does.
  readonly body: any;
  /** The order that it is about, where it names one. */
  readonly orderId: string | null;
}

/** Callers of one gateway. They open as many connections as they need. */
export class Caller {
  readonly #pool: Pool;
  readonly #odd = new Map<string, number>();
  #closed = false;

  constructor(url: string) {
    // Orders wait for minutes, and a busy gateway may take long to accept a connection.
    this.#pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } });
  }

  /** Sends a request. Null when it was not answered with one of `expected`, which is then a finding. */
  async call(
    path: string,
    { key, post, expected = ['200'] }: { key?: string; post?: object; expected?: readonly string[] } = {},
  ): Promise<Answer | null> {
    try {
      const answer = await this.#ask(path, key, post);
      const label = [answer.status, ...(answer.body?.error?.code ? [answer.body.error.code] : [])].join(' ');
      if (expected.includes(label)) return answer;
      this.#note(`${path.split('?')[0]} was answered ${label}`);
    } catch (error) {
      if (!this.#closed) this.#note(`${path.split('?')[0]}: ${error}`);
    }
    return null;
  }

  /** Sentences about answers that were not expected; empty when there were none. */
  findings(): string[] {
    return [...this.#odd].map(([what, count]) => `${count} times ${what}`);
  }

  /** Hangs up all that still waits for an answer. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.destroy();
  }

  async #ask(path: string, key: string | undefined, post: object | undefined): Promise<Answer> {
    const { statusCode, headers, body } = await this.#pool.request({
      path,
      method: post ? 'POST' : 'GET',
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(post && { 'content-type': 'application/json' }),
      },
      ...(post && { body: JSON.stringify(post) }),
    });
    const orderId = headers['x-service-order-id'];
    return { status: statusCode, body: await body.json(), orderId: typeof orderId === 'string' ? orderId : null };
  }

  #note(what: string): void {
    this.#odd.set(what, (this.#odd.get(what) ?? 0) + 1);
  }
}
