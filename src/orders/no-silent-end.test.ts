/**
 * From the submission of an order to the commit of its end, every call of a collaborator fails once: the list of calls is
 * counted, not written. However it ends, the order is charged or its hold is released, its row says that it ended, the
 * log or the refusal says why, and the books agree.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { AttemptRun } from '#pods/attempt-run.ts';
import { ChunkReader } from '#pods/chunk-events.ts';
import { Accumulator } from '#results/generation.ts';
import { ResultKeeper } from '#results/keeper.ts';
import { LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { podConfig } from '#testing/pods.ts';
import { FundsBook } from './funds.ts';
import type { Ticket } from './order-port.ts';
import type { AttemptRequest, AttemptSink, PodPort } from './ports.ts';
import { WaitingInputs } from './waiting-inputs.ts';

const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
const keyed = testRequest({}, { idempotency: { key: 'k', fingerprint: 'f' } });

/** Which call fails, from 1. `rejects`: how calls fail that return a promise; all others throw. */
interface Failure {
  readonly call: number;
  readonly rejects: boolean;
}

/** What calls of a target return: 'promises', 'values', or 'async' for a function that can only reject. */
type Returns = 'promises' | 'values' | 'async';

/**
 * Counts the calls of everything that it wraps or patches while it is armed. The n-th throws or rejects before it has any
 * effect: the same course with n = 1, 2, 3 … tries a failure at every point of it.
 */
class CallInjector {
  readonly #failure: Failure;
  readonly #restore: (() => void)[] = [];
  #calls = 0;
  #armed = false;
  /** The call that failed; null while none has. */
  failed: string | null = null;

  constructor(failure: Failure) {
    this.#failure = failure;
  }

  /** Counts from now on. */
  arm(): void {
    this.#armed = true;
  }

  disarm(): void {
    this.#armed = false;
  }

  /** Runs this without counting its calls. */
  spare<Answer>(run: () => Answer): Answer {
    const armed = this.#armed;
    this.#armed = false;
    try {
      return run();
    } finally {
      this.#armed = armed;
    }
  }

  /** `target`, with every method counted. */
  wrap<Target extends object>(name: string, target: Target, returns: Returns = 'values'): Target {
    return new Proxy(target, {
      get: (_target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) =>
          this.#call(`${name}.${String(key)}`, returns, () => Reflect.apply(value, target, given));
      },
    });
  }

  /** Counts every method, or `only` these, and with `getters` every getter, of `target` itself, until `restore`. */
  patch(name: string, target: object, { getters = false, only }: { getters?: boolean; only?: string[] } = {}): void {
    for (const [key, own] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
      if (key === 'constructor' || !own.configurable || only?.includes(key) === false) continue;
      const { get, value } = own;
      const counted = (run: (...given: unknown[]) => unknown, injector: CallInjector) =>
        function (this: unknown, ...given: unknown[]) {
          const returns = run.constructor.name === 'AsyncFunction' ? 'async' : 'values';
          return injector.#call(`${name}.${key}`, returns, () => Reflect.apply(run, this, given));
        };
      if (get && getters) Object.defineProperty(target, key, { ...own, get: counted(get, this) });
      else if (typeof value === 'function') Object.defineProperty(target, key, { ...own, value: counted(value, this) });
      this.#restore.push(() => Object.defineProperty(target, key, own));
    }
  }

  /** Undoes every patch. */
  restore(): void {
    for (const undo of this.#restore.splice(0)) undo();
  }

  #call(name: string, returns: Returns, run: () => unknown): unknown {
    if (!this.#armed || ++this.#calls !== this.#failure.call) {
      // What is behind a port has a JSON of its own.
      return returns === 'promises' ? this.spare(run) : run();
    }
    this.failed = name;
    const error = new Error(`planted in ${name}`);
    if (returns === 'async' || (returns === 'promises' && this.#failure.rejects)) return Promise.reject(error);
    throw error;
  }
}

/** A transport without a network: the test says what arrives. */
class Transport implements PodPort {
  readonly #clock: Clock;
  #run: AttemptRun | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  execute(request: AttemptRequest, sink: AttemptSink): AttemptRun {
    const own = { onImplausibleUsage: () => {}, stop: () => {} };
    this.#run = new AttemptRun({ config: podConfig(), request, sink, clock: this.#clock, ...own });
    return this.#run;
  }

  get hasRun(): boolean {
    return this.#run !== null;
  }

  get run(): AttemptRun {
    assert.ok(this.#run, 'no attempt has started');
    return this.#run;
  }

  /** One read, with these chunks. */
  arrive(...chunks: object[]): this {
    this.run.guard(() => {
      for (const chunk of chunks) this.run.chunk(chunk);
    });
    this.run.deliver();
    return this;
  }

  close(): void {
    this.run.guard(() => this.run.closed());
  }
}

interface Course {
  readonly request?: ReturnType<typeof testRequest>;
  /** Runs before the order is taken. */
  readonly before?: (bench: OrderServiceBench) => void;
  /** Whether the order is queued first, and admitted later. */
  readonly rests?: boolean;
  /** Calls fail from here on; absent: once the order runs. */
  readonly from?: 'submission';
  /** What the pod and the caller do at the end. */
  readonly end: (transport: Transport, ticket: Ticket) => void;
}

const courses: Readonly<Record<string, Course>> = {
  'an order that runs at once': { from: 'submission', end: (pod) => pod.arrive(text('Hi'), finish, usage).close() },
  'an order that waits before it runs': {
    ...{ from: 'submission', rests: true },
    end: (pod) => pod.arrive(text('Hi'), finish, usage).close(),
  },
  'an order that waits before its pod fails it': {
    ...{ from: 'submission', rests: true, request: keyed },
    end: (pod) => pod.close(),
  },
  'an answer in two reads, without usage': {
    end: (pod) => pod.arrive(text('Hi')).arrive(text(' you'), finish).close(),
  },
  'a large answer that is stored before its order is done': {
    request: keyed,
    end: (pod) => pod.arrive(text(LARGE_TEXT), finish, usage).close(),
  },
  'a large answer that is stored afterwards': { end: (pod) => pod.arrive(text(LARGE_TEXT), finish, usage).close() },
  'a charge that is written off in part': {
    before: (bench) => bench.setBalance(2_000_000n),
    end: (pod) => {
      const counts = { prompt_tokens: 8_000, completion_tokens: 50 };
      pod.arrive(text(LARGE_TEXT), finish, { choices: [], usage: counts }).close();
    },
  },
  'a connection that breaks after output': { end: (pod) => pod.arrive(text('Hi')).close() },
  'a connection that breaks before output': { end: (pod) => pod.close() },
  'a refusal': { end: (pod) => pod.run.refuse({ message: 'too long', overfull: null }, true) },
  'a caller who leaves': {
    end: (pod, ticket) => {
      pod.arrive(text('Hi'), usage);
      ticket.leave();
    },
  },
};

const reached = new Set<string>();
const PROMISES = ['journal', 'store', 'funds', 'results'];

/** Runs a course with one failure. Returns false when it has fewer calls than that. */
async function fails(course: Course, failure: Failure): Promise<boolean> {
  const injector = new CallInjector(failure);
  const lines: string[] = [];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note };
  let transport: Transport | null = null;
  const bench = new OrderServiceBench({
    log,
    pods: (clock) => {
      transport = new Transport(clock);
      return transport;
    },
    wrap: (name, part) => injector.wrap(name, part, PROMISES.includes(name) ? 'promises' : 'values'),
  });
  const { journal } = bench;
  const commit = journal.commitTogether.bind(journal);
  journal.commitTogether = (units) => injector.spare(() => commit(units));
  for (const { name, prototype } of [ChunkReader, FundsBook, ResultKeeper]) injector.patch(name, prototype);
  injector.patch('Accumulator', Accumulator.prototype, { getters: true });
  injector.patch('JSON', JSON);
  injector.patch('WaitingInputs', WaitingInputs.prototype, { only: ['pack', 'refusal', 'runs'] });
  try {
    const isTaken = await runOnce(bench, { course, injector, transport });
    if (injector.failed === null) return false;
    reached.add(injector.failed);
    assert.ok(!isTaken || lines.length > 0, `nothing was logged when ${injector.failed} failed`);
    return true;
  } finally {
    injector.restore();
  }
}

interface Parts {
  readonly course: Course;
  readonly injector: CallInjector;
  readonly transport: Transport | null;
}

/** What the caller of an order gets, counted. */
function watched({ ticket }: { readonly ticket: Ticket }, injector: CallInjector) {
  const heard = { ends: 0 };
  const watcher = { events: () => {}, ended: () => void heard.ends++ };
  injector.spare(() => ticket.watch(injector.wrap('watcher', watcher)));
  return heard;
}

async function runOnce(bench: OrderServiceBench, { course, injector, transport }: Parts): Promise<boolean> {
  course.before?.(bench);
  if (course.from) injector.arm();
  const { id, submission } = await bench.submit(course.request);
  const answered = submission.catch(() => null);
  if (course.rests) await bench.rest(id);
  await bench.admit(id);
  const taken = await Promise.race([answered, bench.settle().then(() => assert.fail(`no answer, ${injector.failed}`))]);
  assert.ok(taken?.type !== 'replay' && taken?.type !== 'accepted-before');
  const heard = taken && watched(taken, injector);
  injector.arm();
  if (taken && transport?.hasRun) course.end(transport, taken.ticket);
  await bench.settle();
  // Less than a second: what the order service reviews each second is no part of the way.
  await bench.clock.advance(900);
  await bench.settle();
  injector.disarm();
  await bench.clock.advance(700_000);
  await bench.settle();

  const during = `when ${injector.failed ?? 'nothing'} failed`;
  for (const { status, hold } of bench.journal.orders.values()) {
    assert.ok(['done', 'error', 'expired', 'canceled'].includes(status), `the order is ${status} ${during}`);
    assert.equal(hold, 0n, `a hold is left ${during}`);
  }
  assert.equal(bench.funds.held, 0n, `a hold is left ${during}`);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 }, `the order is kept ${during}`);
  const hears = injector.failed === 'watcher.ended' || (course === courses['a caller who leaves'] && transport?.hasRun);
  if (heard) assert.equal(heard.ends, hears ? 0 : 1, `the caller waits ${during}`);
  bench.audit();
  return taken !== null;
}

describe('a failure at any call leaves no order open', () => {
  for (const [name, course] of Object.entries(courses)) {
    for (const rejects of [false, true]) {
      test(`${name}, ${rejects ? 'rejected' : 'thrown'}`, async () => {
        let call = 1;
        while (await fails(course, { call, rejects })) call++;
        assert.ok(call > 4, `only ${call} calls were counted`);
      });
    }
  }

  after(() => {
    const expected = [
      ...['Accumulator.add', 'Accumulator.generation', 'ChunkReader.take', 'FundsBook.update', 'JSON.stringify'],
      ...['ResultKeeper.store', 'ResultKeeper.keep', 'results.put', 'results.putLightly', 'journal.write'],
      ...['WaitingInputs.pack', 'exchange.send', 'watcher.events', 'watcher.ended'],
    ];
    assert.deepEqual(
      expected.filter((name) => !reached.has(name)),
      [],
    );
  });
});
