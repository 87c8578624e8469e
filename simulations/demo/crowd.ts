/**
 * The live traders of a demo: ordinary traders of the simulations, one floor for each model, whose orders are requests to its
 * gateway. Their demand swells and ebbs within minutes, around prices that continue the past.
 */
import type { Clock } from '#base/clock.ts';
import { hashOf, type Random, seededRandom } from '#base/random.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { TraderOrder } from '../floor.ts';
import { clearingPrice, startTraders } from '../traders.ts';
import type { Venue } from '../venue.ts';
import type { DemoAccount } from './accounts.ts';
import { type DemoModel, isMain, levelAt } from './models.ts';

/** What live traders need. */
export interface CrowdOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly seed: number;
  /** The first one also sends a batch. */
  readonly accounts: readonly [DemoAccount, ...DemoAccount[]];
  /** An account has no money left. */
  readonly onEmpty: (account: DemoAccount) => void;
}

/** Demand as a multiple of the slots: its mean in markets, where it stays above them, and at fixed prices; and how far it swells and ebbs. */
const LOAD = { mean: 1.6, fixed: 0.6, swell: 0.45, cycleMs: 4 * MINUTE_MS } as const;
const LOCK_SHARE = 0.25;
/** A request waits at least ten seconds. */
const WAIT_S_MIN = 10;
/** Orders that wait longer are left to the gateway, as those of people are who collect the result later. */
const DETACHED_MS = 3 * MINUTE_MS;
/** The time of a token; of models in the background a second, so that two hundred of them cost little. */
const TOKEN_MS = 25;
const SLOW_TOKEN_MS = 1000;
const BATCH_LINES = 60;

const QUESTIONS = [
  'What is a sluice?',
  'Summarize the minutes of the harbor board.',
  'Translate the tide table into French.',
  'Which berths are free at high water?',
  'Write a test for the lock gate controller.',
  'Classify these support tickets by urgency.',
];

/** What stands below a question, again and again. */
const PAPER = ' The gate opens an hour before high water and closes when the basin is level with the river.';

/** Everybody who trades on a demo. */
export class Crowd {
  readonly #options: CrowdOptions;
  readonly #line: Line;

  constructor(options: CrowdOptions) {
    this.#options = options;
    this.#line = new Line(options.url);
  }

  /** The traders of a model begin, with as many orders at once as it has slots. */
  enter(model: DemoModel): void {
    const { clock, seed, accounts } = this.#options;
    const slots = model.slots * model.pods.length;
    if (slots === 0) return;
    const floor = new LiveVenue(model, this.#line, this.#options);
    const { id, middle, runsMs } = model;
    const beganMs = clock.nowMs();
    // At the mean load the level stays where the past left it.
    const values = (ms: number) =>
      middle === null ? 1 : levelAt(id, middle, beganMs + ms) / 1e9 / clearingPrice(LOAD.mean);
    const phase = hashOf(id, seed) % LOAD.cycleMs;
    const mean = middle === null ? LOAD.fixed : LOAD.mean;
    const load = (ms: number) => mean + LOAD.swell * Math.sin(((ms + phase) / LOAD.cycleMs) * 2 * Math.PI);
    startTraders(floor, { load, slots, lockShare: LOCK_SHARE, accounts: accounts.length, runsMs, values });
    for (let at = 0; at < slots; at++) {
      const limit = Math.round(1.5e9 * values(0));
      floor.send({ account: `account ${at}`, limit, lock: false, runsMs, patienceMs: MINUTE_MS });
    }
  }

  /** The first account sends a file of lines for a model, whose bids are around its level: some wait for a lower one. */
  async sendBatch({ id, middle }: DemoModel): Promise<void> {
    const { secret } = this.#options.accounts[0].keys[0];
    const lines = Array.from({ length: BATCH_LINES }, (_, at) => {
      const messages = [{ role: 'user', content: `${QUESTIONS[at % QUESTIONS.length]} (${at})` }];
      const body = { model: id, messages, max_tokens: 200, price_limit: (middle ?? 1) * (0.4 + at / BATCH_LINES) };
      return JSON.stringify({ custom_id: `question-${at + 1}`, method: 'POST', url: '/v1/chat/completions', body });
    });
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([lines.join('\n')]), 'evaluation.jsonl');
    const file = await this.#line.post('/v1/files', secret, form);
    const input = { input_file_id: file?.json.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    await this.#line.post('/v1/batches', secret, input);
  }

  /** Everybody leaves: nothing more is sent, and callers who wait close their connections. */
  leave(): void {
    this.#line.hangUp();
  }
}

/** The connection of all traders to the gateway. */
class Line {
  readonly #url: string;
  readonly #over = new AbortController();

  constructor(url: string) {
    this.#url = url;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Sends a form, or an object as JSON. Null when the demo has ended, or the gateway has cut the connection. */
  async post(path: string, key: string, content: object): Promise<{ status: number; json: { id?: string } } | null> {
    const isForm = content instanceof FormData;
    const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) };
    const body = isForm ? content : JSON.stringify(content);
    try {
      const init = { method: 'POST', headers, body, signal: this.#over.signal };
      const answer = await fetch(`${this.#url}${path}`, init);
      return { status: answer.status, json: (await answer.json()) as { id?: string } };
    } catch {
      return null;
    }
  }

  hangUp(): void {
    this.#over.abort();
  }
}

/** One market of the gateway, as its traders see it. */
class LiveVenue implements Venue {
  readonly random: Random;
  readonly agenda: Venue['agenda'];
  readonly #model: DemoModel;
  readonly #line: Line;
  readonly #options: CrowdOptions;
  #sent = 0;

  constructor(model: DemoModel, line: Line, options: CrowdOptions) {
    this.#model = model;
    this.#line = line;
    this.#options = options;
    this.random = seededRandom(hashOf(model.id, options.seed));
    this.agenda = {
      after(delayMs, run) {
        options.clock.after(delayMs, () => {
          if (!line.isOver) run();
        });
      },
    };
  }

  get nowMs(): number {
    return this.#options.clock.nowMs();
  }

  send(wish: TraderOrder): string {
    void this.#send(wish);
    return `${++this.#sent}`;
  }

  /** Nobody here cancels. */
  isWaiting(): boolean {
    return false;
  }

  cancel(): void {}

  async #send(wish: TraderOrder): Promise<void> {
    const { accounts, onEmpty } = this.#options;
    const account = accounts[Number(wish.account.split(' ')[1]) % accounts.length] ?? accounts[0];
    const answer = await this.#line.post('/v1/chat/completions', account.keys[0].secret, this.#body(wish));
    if (answer?.status === 402) onEmpty(account);
  }

  #body({ limit, lock, runsMs, patienceMs }: TraderOrder): object {
    const { id, middle } = this.#model;
    const { random } = this;
    const token_ms = isMain(this.#model) ? TOKEN_MS : SLOW_TOKEN_MS;
    const output_tokens = Math.max(1, Math.round(runsMs / token_ms));
    const prompt_tokens = Math.round(100 + 1500 * random.next() ** 2);
    const cached_tokens = Math.round(0.8 * random.next() * prompt_tokens);
    const question = `${QUESTIONS[this.#sent % QUESTIONS.length]} (${this.#sent})`;
    // Nobody believes in a token of less than two bytes.
    const content = question.padEnd(2 * prompt_tokens, PAPER);
    return {
      ...{ model: id, messages: [{ role: 'user', content }], max_tokens: output_tokens },
      ...(middle === null ? {} : { price_limit: limit / 1e9, price_lock: lock }),
      max_wait: Math.max(WAIT_S_MIN, Math.ceil(patienceMs / 1000)),
      detached: patienceMs > DETACHED_MS,
      x_simulate: { prompt_tokens, cached_tokens, output_tokens, token_ms },
    };
  }
}
