/** An exchange that is made again in the middle of a second: from its record, or from its newest rows as after a restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { Admit, Command, ExchangeEvent, LevelMoved, QuoteLatched, Rest } from '../ports.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { RecordedExchange, type RecordedInput } from './recording.ts';

const model = marketListing().id;
const SLOTS = 8;
const START_MS = Date.UTC(2026, 0, 1);

/** An order as the order service knows it. */
interface Known {
  readonly rest: Rest;
  readonly runsMs: number;
  restedSeq: number;
  admit: Admit | null;
  endsMs: number;
}

/** A market, and an order service that survives it. Orders run for a time of their own. */
class Life {
  readonly orders = new Map<string, Known>();
  readonly levels: LevelMoved[] = [];
  readonly quotes: QuoteLatched[] = [];
  nowMs = START_MS;
  #exchange: Exchange;
  readonly #random: Random = seededRandom(5);
  readonly #record: RecordedInput[] = [];
  #sent = 0;
  #isRebuilding = false;

  constructor() {
    const write = (line: string) => {
      const input = JSON.parse(line);
      if ('at' in input) this.#record.push(input);
    };
    this.#exchange = new RecordedExchange(this.#options(), write);
    this.#say({ type: 'capacity', model, pod: 'pod', slots: SLOTS, healthy: true });
  }

  /** Lets milliseconds pass, a hundred at a time; half as many orders again come as the slots can run. */
  pass(ms: number): void {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs; ) {
      this.nowMs += 100;
      for (const [id, { admit, endsMs }] of this.orders) {
        if (!admit || endsMs > this.nowMs) continue;
        this.orders.delete(id);
        const { order, attempt, pod } = admit;
        this.#say({ type: 'release', model, order, attempt, pod, reason: 'finished' });
      }
      if (this.#random.next() < 0.2) this.#send();
      if (this.nowMs % 1000 === 0) this.#exchange.tick(this.nowMs);
    }
  }

  /** Gives a new exchange all inputs that the old one recorded. */
  rebuild(): void {
    this.#isRebuilding = true;
    this.#exchange = new Exchange({ ...this.#options(), nowMs: START_MS });
    for (const input of this.#record) {
      if ('command' in input) this.#exchange.handle(input.command, input.at);
      else if ('tick' in input) this.#exchange.tick(input.at);
    }
    this.#isRebuilding = false;
  }

  /** Opens a new exchange at the newest level and quote, and sends it the slots that are held and the orders that wait. */
  restart(): void {
    this.#exchange = new Exchange(this.#options(this.levels.at(-1), this.quotes.at(-1)));
    for (const { rest, admit, restedSeq } of this.orders.values()) {
      if (!admit) this.#say({ ...rest, restedSeq });
      else this.#say({ ...admit, type: 'hold', account: rest.account, bid: rest.bid, house: false });
    }
    this.#say({ type: 'capacity', model, pod: 'pod', slots: SLOTS, healthy: true });
  }

  #options(level?: LevelMoved, quote?: QuoteLatched): ExchangeOptions {
    return {
      listings: [marketListing()],
      levelTimeConstantMs: 20_000,
      ...someQuotes(),
      recovered: level ? [level] : [],
      recoveredQuotes: quote ? [{ ...quote, lockMinutes: [] }] : [],
      emit: (event) => this.#hear(event),
      nowMs: this.nowMs,
    };
  }

  #say(command: Command): void {
    this.#exchange.handle(command, this.nowMs);
  }

  #send(): void {
    const order = `order ${++this.#sent}`;
    const account = `account ${Math.floor(this.#random.next() * 5)}`;
    const bid = Math.ceil((0.5 + this.#random.next()) * 1e9);
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    const rest: Rest = { type: 'rest', model, order, account, bid, ...first };
    const runsMs = Math.ceil(this.#random.next() * 12_000);
    this.orders.set(order, { rest, runsMs, restedSeq: 0, admit: null, endsMs: 0 });
    this.#say(rest);
  }

  #hear(event: ExchangeEvent): void {
    if (this.#isRebuilding) return;
    if (event.type === 'level') this.levels.push(event);
    if (event.type === 'quote') this.quotes.push(event);
    if (!('order' in event)) return;
    const known = this.orders.get(event.order);
    assert.ok(known);
    if (event.type === 'rested') known.restedSeq = event.restedSeq;
    if (event.type === 'admit') [known.admit, known.endsMs] = [event, this.nowMs + known.runsMs];
  }
}

/** Plays for so long, is interrupted, and plays for a minute more. */
function interrupted(passMs: number, interrupt: (life: Life) => void) {
  const life = new Life();
  life.pass(passMs);
  const before = life.levels.at(-1)?.level ?? 0;
  interrupt(life);
  const then = life.levels.at(-1)?.level ?? 0;
  const levels = Array.from({ length: 60 }, () => {
    life.pass(1000);
    return life.levels.at(-1)?.level ?? 0;
  });
  return { before, then, levels, events: [...life.levels, ...life.quotes] };
}

for (const passMs of [600_100, 600_500, 607_300]) {
  const going = interrupted(passMs, () => {});

  test(`an exchange that is rebuilt from its record after ${passMs} ms goes on as the one that wrote it`, () => {
    const rebuilt = interrupted(passMs, (life) => life.rebuild());
    assert.ok(rebuilt.levels.every((level) => level > 1e8));
    assert.deepEqual(rebuilt.events, going.events);
  });

  test(`after a restart at ${passMs} ms the level stands where it stood, and moves on nearly as without one`, () => {
    const { before, then, levels } = interrupted(passMs, (life) => life.restart());
    assert.equal(then, before);
    for (const [second, level] of levels.slice(0, 10).entries()) {
      const part = level / (going.levels[second] ?? Number.NaN);
      assert.ok(Math.abs(part - 1) < 0.02, `${part} of it after ${second + 1} seconds`);
    }
  });
}

test('a market that is restarted every ninety seconds has the level of one that is not', () => {
  const [going, restarted] = [new Life(), new Life()];
  const sums = [0, 0];
  for (let restart = 0; restart < 12; restart++) {
    for (let second = 0; second < 90; second++) {
      for (const [at, life] of [going, restarted].entries()) {
        life.pass(1000);
        sums[at] = (sums[at] ?? 0) + (life.levels.at(-1)?.level ?? 0);
      }
    }
    restarted.restart();
  }
  const part = (sums[1] ?? 0) / (sums[0] ?? 1);
  assert.ok(Math.abs(part - 1) < 0.02, `${part} of it`);
});
