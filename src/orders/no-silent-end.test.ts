/**
 * From the last bytes of a pod to the commit of the order's end, every call of a collaborator fails once: the list of
 * calls is counted, not written. However it ends, the order is charged or its hold is released, the log says why, and
 * the books agree.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { AttemptRun } from '#pods/attempt-run.ts';
import { ChunkReader } from '#pods/chunk-events.ts';
import { Accumulator } from '#results/generation.ts';
import { ResultKeeper } from '#results/keeper.ts';
import { CallInjector, type Failure } from '#testing/call-injector.ts';
import { LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { podConfig } from '#testing/pods.ts';
import { FundsBook } from './funds.ts';
import type { Ticket } from './order-port.ts';
import type { AttemptRequest, AttemptSink, PodPort } from './ports.ts';

const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
const keyed = testRequest({}, { idempotency: { key: 'k', fingerprint: 'f' } });

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
  /** What the pod and the caller do at the end. */
  readonly end: (transport: Transport, ticket: Ticket) => void;
}

const courses: Readonly<Record<string, Course>> = {
  'an answer with usage': { end: (pod) => pod.arrive(text('Hi'), finish, usage).close() },
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
  'a refusal': { end: (pod) => pod.run.refuse('too long', true) },
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
  // The journal's thread has a JSON of its own.
  const { journal } = bench;
  const commit = journal.commitTogether.bind(journal);
  journal.commitTogether = (units) => injector.spare(() => commit(units));
  for (const { name, prototype } of [ChunkReader, FundsBook, ResultKeeper]) injector.patch(name, prototype);
  injector.patch('Accumulator', Accumulator.prototype, { getters: true });
  injector.patch('JSON', JSON);
  try {
    await runOnce(bench, { course, injector, transport });
  } finally {
    injector.restore();
  }
  if (injector.failed === null) return false;
  reached.add(injector.failed);
  assert.ok(lines.length > 0, `nothing was logged when ${injector.failed} failed`);
  return true;
}

interface Parts {
  readonly course: Course;
  readonly injector: CallInjector;
  readonly transport: Transport | null;
}

async function runOnce(bench: OrderServiceBench, { course, injector, transport }: Parts): Promise<void> {
  course.before?.(bench);
  const { id, submission } = await bench.submit(course.request);
  await bench.admit(id);
  const taken = await submission;
  assert.ok(taken.type === 'order' && transport);
  let ends = 0;
  const watcher = { events: () => {}, ended: () => void ends++ };
  taken.ticket.watch(injector.wrap('watcher', watcher));

  injector.arm();
  course.end(transport, taken.ticket);
  await bench.settle();
  // Less than a second: what the order service reviews each second is no part of the way.
  await bench.clock.advance(900);
  await bench.settle();
  injector.disarm();
  await bench.clock.advance(700_000);
  await bench.settle();

  const during = `when ${injector.failed ?? 'nothing'} failed`;
  const { status, hold } = bench.row(id);
  assert.ok(['done', 'error', 'expired', 'canceled'].includes(status), `the order is ${status} ${during}`);
  assert.deepEqual([hold, bench.funds.held], [0n, 0n], `a hold is left ${during}`);
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 }, `the order is kept ${during}`);
  const answered = injector.failed === 'watcher.ended' || course === courses['a caller who leaves'] ? 0 : 1;
  assert.equal(ends, answered, `the caller waits ${during}`);
  bench.audit();
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
      ...['exchange.send', 'watcher.events', 'watcher.ended'],
    ];
    assert.deepEqual(
      expected.filter((name) => !reached.has(name)),
      [],
    );
  });
});
