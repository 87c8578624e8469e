/** Sends requests to a gateway, and counts the answers that nobody should have got. */
import { Client, type Exchange } from '../harness/client.ts';
import { count, Ledger } from '../harness/ledger.ts';

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a gateway answers is read field by field, as any client does.
  readonly body: any;
  /** The order that it is about, where it names one. */
  readonly orderId: string | null;
}

/** Callers of one gateway. They open as many connections as they need, and wait for minutes. */
export class Caller {
  readonly #client: Client;
  readonly #odd = new Map<string, number>();
  #closed = false;

  constructor(url: string) {
    this.#client = new Client(new Ledger(null, { mayBreak: true }), { urls: [url], hungMs: null });
  }

  /** Sends a request. Null when it was not answered with one of `expected`, which is then a finding. */
  async call(
    path: string,
    { key = '', post, expected = ['200'] }: { key?: string; post?: object; expected?: readonly string[] } = {},
  ): Promise<Answer | null> {
    const exchange = await this.#client.call({ account: '', apiKey: key }, path, post && { body: post });
    const answer = exchange.kind === 'answer' ? { ...exchange, body: parsed(exchange.text) } : null;
    const label = labelOf(exchange.kind, answer);
    if (answer?.body && expected.includes(label)) return answer;
    if (!this.#closed) count(this.#odd, `${path.split('?')[0]} was answered ${label}`);
    return null;
  }

  /** Sentences about answers that were not expected; empty when there were none. */
  findings(): string[] {
    return [...this.#odd].map(([what, times]) => `${times} times ${what}`);
  }

  /** Hangs up all that still waits for an answer. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.close();
  }
}

/** Null for what is no JSON. */
function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function labelOf(kind: Exchange['kind'], answer: Answer | null): string {
  if (answer === null) return kind;
  const { code } = answer.body?.error ?? {};
  return code ? `${answer.status} ${code}` : `${answer.status}`;
}
