/** A browser as the settings and the console see it: it keeps the cookie that it gets, and sends the CSRF token. */
import type { Client, RequestOptions } from './client.ts';
import type { OperationId } from './operations.ts';
import type { Reply } from './reply.ts';

let addresses = 0;

/** One browser with at most one session, behind an address of its own (on a server with `trust_proxy: 1`). */
export class BrowserSession {
  readonly #address = `10.7.${addresses >> 8}.${addresses++ & 255}`;
  readonly #client: Client;
  /** The cookie of the session. */
  cookie: string | null = null;
  csrf: string | null = null;
  /** The other cookies by name, and their values. */
  readonly cookies = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client.as(null);
  }

  /** Signs in with the token of a link. */
  static async open(client: Client, token: string): Promise<BrowserSession> {
    const browser = new BrowserSession(client);
    (await browser.call('signInWithLink', { body: { token } })).body(200);
    return browser;
  }

  /** Sends a request with cookie and token, and keeps those of the answer. */
  async call<Id extends OperationId>(id: Id, options: RequestOptions = {}): Promise<Reply<Id>> {
    const headers = {
      'x-forwarded-for': this.#address,
      ...(this.#sent() === '' ? {} : { cookie: this.#sent() }),
      ...(this.csrf === null ? {} : { 'x-csrf-token': this.csrf }),
      ...options.headers,
    };
    const reply = await this.#client.call(id, { ...options, headers });
    const set = reply.headers['set-cookie'];
    if (set !== undefined) for (const one of set.split(/,(?=[\w-]+=)/)) this.#keep(one.split(';')[0] ?? '');
    if (reply.status === 200 && reply.text.includes('"csrf_token"')) this.csrf = JSON.parse(reply.text).csrf_token;
    return reply;
  }

  #sent(): string {
    const others = [...this.cookies].map((pair) => pair.join('='));
    return [...(this.cookie === null ? [] : [this.cookie]), ...others].join('; ');
  }

  #keep(pair: string): void {
    const [name = '', value = ''] = pair.split('=');
    if (name.endsWith('sluice-session')) this.cookie = pair;
    else this.cookies.set(name, value);
  }
}
