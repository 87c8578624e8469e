/**
 * A gateway for one test file: complete, on a free port, with an empty database, a folder for blobs, a manual clock and
 * a backend whose answers the test sets. At the end of the file the ledger is audited, so a test that leaves money out
 * of balance fails even if every answer looked right.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { silentLog } from '#base/log.ts';
import { hangDisk } from '#testing/hanging-disk.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { cannedReply, type MockBackend, type MockReply, startMockBackend } from '#testing/mock-backend.ts';
import { type ChargedSoFar, chargedSoFar } from './charged.ts';
import { Client } from './client.ts';
import { merged, type Settings, testConfiguration } from './configuration.ts';
import { createTestDatabase } from './database.ts';
import { auditFindings, type Running, type ServerOptions, startGateway, whenPodsAreHealthy } from './gateway.ts';
import { CHUNK_MS, RETRY_MS, STEP_MS, settled } from './pace.ts';
import { type TestAccount, type TestAccountOptions, TestOperator } from './test-operator.ts';
import { eventually, whilePending } from './waiting.ts';

/** Half a minute before midnight, so that tests about days need not wait for the next one. */
const START_MS = Date.UTC(2026, 0, 1, 23, 59, 30);

/** Lets time pass until a promise settles. */
type PassTime = <Value>(promise: Promise<Value>) => Promise<Value>;

/** Starts a server before the tests of the enclosing suite, and closes and audits it after them. */
export function useServer(settings: Settings = {}, options: ServerOptions = {}): TestServer {
  const server = new TestServer(settings, options);
  before(() => server.start());
  after(() => server.close());
  return server;
}

/** One gateway under test. */
export class TestServer {
  readonly clock = new ManualClock(START_MS);
  readonly #settings: Settings;
  readonly #options: ServerOptions;
  #running: Running | null = null;
  #answer: MockReply | ((count: number) => MockReply) = cannedReply();

  /** `settings` are merged into `testConfiguration`, key by key. */
  constructor(settings: Settings, options: ServerOptions = {}) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The client of an account with $100. */
  get api(): Client {
    return this.#parts.client;
  }

  /** The backend of every listing that has pods. */
  get backend(): MockBackend {
    return this.#parts.backend;
  }

  /** Where the gateway stores bodies and files. */
  get dataFolder(): string {
    return this.#parts.folder;
  }

  /** Sets what the backend answers from now on: one answer, or one by the number of the request from now (from 0). */
  answer(answer: MockReply | ((count: number) => MockReply)): void {
    this.#answer = answer;
    this.#parts.answeredBefore = this.backend.requests.length;
  }

  /** Makes the backend hold its answers until the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.answer({ ...cannedReply(), headAfter: promise });
    return resolve;
  }

  /** The body of the last request that the backend received. */
  lastRequest(): Record<string, unknown> {
    const request = this.backend.requests.at(-1);
    assert.ok(request, 'The backend got no request.');
    return request.body;
  }

  /** What an operator does with the command line. */
  get operator(): TestOperator {
    return this.#parts.operator;
  }

  /** Opens another account besides that of `api`. */
  createAccount(options: TestAccountOptions = {}): Promise<TestAccount> {
    return this.#parts.operator.createAccount(options);
  }

  /** A key of a suspended account. */
  async suspendedKey(): Promise<string> {
    const account = await this.createAccount();
    await this.#parts.operator.suspend(account.id);
    return account.key;
  }

  /** Suspends an account, as the operator does, while `act` runs. */
  async whileSuspended<Result>(account: TestAccount, act: () => Promise<Result>): Promise<Result> {
    await this.#parts.operator.suspend(account.id);
    try {
      return await act();
    } finally {
      await this.#parts.operator.resume(account.id);
    }
  }

  /** Balance and number of settlements of the account behind `api`. */
  charged(api = this.api): Promise<ChargedSoFar> {
    return chargedSoFar(api);
  }

  /** Runs `act` and asserts that it neither charged nor settled anything. */
  async uncharged<Result>(act: () => Promise<Result>, api = this.api): Promise<Result> {
    const earlier = await this.charged(api);
    const result = await act();
    assert.deepEqual(await this.charged(api), earlier, 'Something was charged.');
    return result;
  }

  /** Resolves once the account behind `api` has this many orders in each state. */
  async orders(counts: { queued?: number; executing?: number }, api = this.api): Promise<void> {
    await eventually(
      async () => {
        const { orders } = (await api.call('getAccount')).body(200);
        const counted =
          orders.queued === (counts.queued ?? orders.queued) && orders.executing === (counts.executing ?? 0);
        // A row can be read a moment before the gateway learns that it committed.
        return counted && !this.#parts.service.committing;
      },
      `orders ${JSON.stringify(counts)}`,
    );
  }

  /** Moves the clock by `ms`; resolves when the gateway has caught up with what that began, which it does after each step. */
  async pass(ms: number, stepMs = STEP_MS): Promise<void> {
    const endMs = this.clock.nowMs() + ms;
    while (this.clock.nowMs() < endMs) await this.#step(Math.min(stepMs, endMs - this.clock.nowMs()));
  }

  /** Moves the clock in steps until `promise` settles. */
  async passTimeUntil<Result>(promise: Promise<Result>, stepMs = STEP_MS): Promise<Result> {
    return whilePending(promise, () => this.#step(stepMs));
  }

  /** Runs `act` while no account and no order can be written, as if the disk had stopped. */
  withoutCommits<Result>(act: (passTimeUntil: PassTime) => Promise<Result>): Promise<Result> {
    return this.#outage((passTime) => this.#parts.operator.withLockedBooks(() => act(passTime)));
  }

  /** Runs `act` while the database answers nothing. Only a server does that: a file always answers. */
  withSilentDatabase<Result>(act: (passTimeUntil: PassTime) => Promise<Result>): Promise<Result> {
    const { silence } = this.#parts.testDatabase;
    assert.ok(silence, 'A file always answers.');
    return this.#outage((passTime) => silence(() => act(passTime)));
  }

  /** Runs `act` while every call to the data folder hangs, as on a dead mount; afterwards those calls are made. */
  withSilentDisk<Result>(act: (passTimeUntil: PassTime) => Promise<Result>): Promise<Result> {
    return this.#outage(async (passTime) => {
      const disk = await hangDisk(this.dataFolder);
      return act(passTime).finally(() => disk.release());
    });
  }

  async #outage<Result>(act: (passTimeUntil: PassTime) => Promise<Result>): Promise<Result> {
    try {
      // Time passes without waiting for commits.
      const tickOn = () => this.clock.advance(STEP_MS).then(settled);
      return await act((promise) => whilePending(promise, tickOn));
    } finally {
      await this.#caughtUp();
    }
  }

  /** Runs `act` when the gateway has lost its database for good, as after it was moved. It serves nothing afterwards. */
  async afterLoss(act: () => Promise<void>): Promise<void> {
    const giveBack = await this.#parts.testDatabase.take();
    await whilePending(this.#parts.service.lost, () => this.clock.advance(STEP_MS).then(settled));
    await act().finally(giveBack);
  }

  /** Runs `act` while the gateway cannot reach its database. */
  async withoutDatabase<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = await this.#parts.testDatabase.outage(act);
    await this.#commitSomething();
    return result;
  }

  /** The journal notices at its next write that its connection is gone, and opens another after a while. */
  async #commitSomething(): Promise<void> {
    const api = this.api.as((await this.createAccount()).key);
    const body = { model: 'shoal', messages: [{ role: 'user', content: 'Hello?' }], detached: true };
    const { orderId } = await this.passTimeUntil(api.call('createChatCompletion', { body }), RETRY_MS);
    await api.call('cancelOrder', { params: { id: orderId } });
  }

  /** Moves time by one step, and waits for what that began. */
  async #step(ms: number): Promise<void> {
    await this.#tick(ms);
    await this.#caughtUp();
  }

  /** Commits take real time; if the clock ran ahead of them, the gateway would take the database for stalled. */
  async #tick(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= CHUNK_MS) {
      await this.#committed();
      await this.clock.advance(Math.min(CHUNK_MS, leftMs));
    }
    await this.#committed();
    await settled();
  }

  #committed(): Promise<void> {
    return eventually(() => !this.#parts.service.committing, 'a commit');
  }

  /** Time passes only while the gateway is healthy, and a little while it is not, because retries wait for that. */
  async #caughtUp(): Promise<void> {
    await eventually(async () => {
      await this.#committed();
      if ((await this.api.call('getHealth')).status === 200) return true;
      await this.clock.advance(RETRY_MS);
      return false;
    }, 'a gateway that keeps up');
  }

  /** Writes the configuration file; text stands for itself. */
  rewrite(file: Settings | string): Promise<void> {
    return this.#parts.rewrite(typeof file === 'string' ? file : JSON.stringify(file, null, 2));
  }

  /** Begins to drain, as SIGTERM does; resolves when the drain is over. */
  stop(): Promise<void> {
    return this.#parts.stop();
  }

  async start(): Promise<void> {
    const backend = await startMockBackend({ reply: () => this.#nextAnswer() });
    const folder = await mkdtemp(join(tmpdir(), 'sluice-contract-'));
    const testDatabase = await createTestDatabase(folder);
    const operator = new TestOperator(testDatabase.directUrl, this.clock);
    await this.#launch({ backend, folder, testDatabase, operator });
  }

  /** Stops the gateway, and starts another on its database and files, with another account behind `api`. */
  async restart(): Promise<void> {
    await this.#halt();
    assert.deepEqual(this.#parts.problems, [], 'Answers broke the document.');
    await this.#launch(this.#parts);
  }

  async #launch(lasting: Pick<Running, 'backend' | 'folder' | 'testDatabase' | 'operator'>): Promise<void> {
    const { backend, folder, testDatabase } = lasting;
    const gateway = await startGateway({
      settings: merged(testConfiguration(backend.url), this.#settings),
      databaseUrl: testDatabase.url,
      folder,
      bucketUrl: this.#options.bucketUrl?.() ?? null,
      environment: this.#options.environment?.() ?? {},
      clock: this.clock,
      log: this.#options.log ?? silentLog,
    });
    const client = new Client(gateway.url);
    this.#running = { ...lasting, ...gateway, client, answeredBefore: backend.requests.length };
    await whenPodsAreHealthy(client);
    this.#parts.client = client.as((await this.createAccount()).key);
  }

  /** Stops the server, removes its files, and fails when the audit has findings. */
  async close(): Promise<void> {
    if (!this.#running) return;
    const { backend, folder, testDatabase, config, operator, problems } = this.#running;
    await this.#halt();
    await backend.close();
    const findings = await auditFindings({ database: operator.database, config, nowMs: this.clock.nowMs() });
    await operator.close();
    await testDatabase.drop();
    await rm(folder, { recursive: true });
    assert.deepEqual(findings, [], 'The audit has findings.');
    assert.deepEqual(problems, [], 'Answers broke the document.');
  }

  async #halt(): Promise<void> {
    this.api.close();
    await whilePending(this.stop(), () => this.#tick(STEP_MS));
  }

  get #parts(): Running {
    assert.ok(this.#running, 'The server is not running yet.');
    return this.#running;
  }

  #nextAnswer(): MockReply {
    const { answeredBefore, backend } = this.#parts;
    const answer = this.#answer;
    return typeof answer === 'function' ? answer(backend.requests.length - answeredBefore - 1) : answer;
  }
}
