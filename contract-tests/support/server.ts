/**
 * A gateway of a test file's own: whole, on a free port, with an empty database, a folder for blobs, a clock that is
 * moved by hand and a backend whose answers the test writes. When the file ends the ledger is audited, so a test that
 * leaves money out of balance fails even if every answer looked right.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ManualClock } from '#base/clock.ts';
import { type Log, silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { type Config, parseConfig } from '#config.ts';
import { operations } from '#generated/operations.ts';
import { withPartnerPrefix } from '#http/partner-prefix.ts';
import { createService, type Service } from '#service.ts';
import { audit } from '#storage/audit/index.ts';
import { FolderBlobs } from '#storage/blobs.ts';
import { FolderContents } from '#storage/file-contents.ts';
import { cannedReply, type MockBackend, type MockReply, startMockBackend } from '#testing/mock-backend.ts';
import { Client } from './client.ts';
import { currentTest } from './current-test.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { marketDay, merged, type Settings } from './market-day.ts';
import { type AccountWishes, Office, type TestAccount } from './office.ts';
import { eventually, whilePending } from './waiting.ts';
import { watchReplies } from './watch.ts';

const STEP_MS = 1000;
/** How far time goes on while a commit may begin: well under the second after which the journal counts as stalled. */
const CHUNK_MS = 250;
/** Real time given to sockets after each step of the clock. */
const SETTLE_MS = 8;
/** How far time goes on while the gateway is behind. */
const RETRY_MS = 50;
/** Half a minute before midnight, so that tests about days need not wait for the next one. */
const START_MS = Date.UTC(2026, 0, 1, 23, 59, 30);

/** What was charged so far, as the account's owner can see it. */
export interface Books {
  readonly balanceNano: number;
  readonly settled: number;
}

/** Starts a server before the tests of the enclosing suite, and closes and audits it after them. */
export function useServer(settings: Settings = {}, options: { log?: Log } = {}): TestServer {
  const server = new TestServer(settings, options.log);
  before(() => server.start());
  after(() => server.close());
  return server;
}

/** One gateway under test. */
export class TestServer {
  readonly clock = new ManualClock(START_MS);
  readonly #settings: Settings;
  readonly #log: Log;
  #running: Running | null = null;
  #answer: MockReply | ((count: number) => MockReply) = cannedReply();

  /** `settings` are laid over those of `marketDay`, key by key. */
  constructor(settings: Settings, log: Log = silentLog) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Talks to the server as an account with $100. */
  get api(): Client {
    return this.#parts.client;
  }

  /** The backend of every listing that has pods. */
  get backend(): MockBackend {
    return this.#parts.backend;
  }

  /** Where the gateway keeps bodies and files. */
  get dataFolder(): string {
    return this.#parts.folder;
  }

  /** What the backend answers from now on: one answer, or one by the number of the request (from 0) since now. */
  answer(answer: MockReply | ((count: number) => MockReply)): void {
    this.#answer = answer;
    this.#parts.answeredBefore = this.backend.requests.length;
  }

  /** Lets the backend wait with its answers until the function that this gives is called. */
  answerOnCue(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.answer({ ...cannedReply(), headAfter: promise });
    return resolve;
  }

  /** The body of the last request that the backend got. */
  lastRequest(): Record<string, unknown> {
    const request = this.backend.requests.at(-1);
    assert.ok(request, 'The backend got no request.');
    return request.body;
  }

  /** Opens an account beside the one of `api`. */
  createAccount(wishes: AccountWishes = {}): Promise<TestAccount> {
    return this.#parts.office.createAccount(wishes);
  }

  /** A key whose account is suspended. */
  async suspendedKey(): Promise<string> {
    const account = await this.createAccount();
    await this.#parts.office.suspend(account.id);
    return account.key;
  }

  /** Suspends an account, as the operator does, until `act` is over. */
  async whileSuspended<Result>(account: TestAccount, act: () => Promise<Result>): Promise<Result> {
    await this.#parts.office.suspend(account.id);
    try {
      return await act();
    } finally {
      await this.#parts.office.resume(account.id);
    }
  }

  /** Lets the time of a file be over. */
  expireFile(id: string): Promise<void> {
    return this.#parts.office.expireFile(id, this.clock.nowMs());
  }

  /** Balance and number of settlements of the account behind `api`. */
  async books(api = this.api): Promise<Books> {
    const usage = (await api.call('listUsage', { query: { limit: 1 } })).body(200);
    return { balanceNano: Math.round((usage.balance_usd ?? 0) * 1e9), settled: usage.total_requests ?? 0 };
  }

  /** Runs `act` and asserts that it neither charged nor settled anything. */
  async uncharged<Result>(act: () => Promise<Result>, api = this.api): Promise<Result> {
    const earlier = await this.books(api);
    const result = await act();
    assert.deepEqual(await this.books(api), earlier, 'Something was charged.');
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

  /** Moves the clock by `ms`; resolves when the gateway has caught up with what that began. */
  async pass(ms: number): Promise<void> {
    const endMs = this.clock.nowMs() + ms;
    while (this.clock.nowMs() < endMs) await this.#step(Math.min(STEP_MS, endMs - this.clock.nowMs()));
  }

  /** Moves the clock in steps until `promise` settles. */
  async passTimeUntil<Result>(promise: Promise<Result>, stepMs = STEP_MS): Promise<Result> {
    return whilePending(promise, () => this.#step(stepMs));
  }

  /**
   * Runs `act` while no account and no order can be written to, as if the disk had stopped. `act`
   * gets a way to let time pass until a promise settles.
   */
  async withoutCommits<Result>(
    act: (passTimeUntil: <Value>(promise: Promise<Value>) => Promise<Value>) => Promise<Result>,
  ): Promise<Result> {
    const passTimeUntil = <Value>(promise: Promise<Value>) => whilePending(promise, () => this.#tickOn(STEP_MS));
    try {
      return await this.#parts.office.withLockedBooks(() => act(passTimeUntil));
    } finally {
      await this.#caughtUp();
    }
  }

  /** Runs `act` while the gateway cannot reach its database. */
  async withoutDatabase<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = await this.#parts.testDatabase.outage(act);
    await this.#commitSomething();
    return result;
  }

  /** The journal finds out that its connection is gone when it next writes, and makes another after a while. */
  async #commitSomething(): Promise<void> {
    const api = this.api.as((await this.createAccount()).key);
    const body = { model: 'shoal', messages: [{ role: 'user', content: 'Hello?' }], detached: true };
    const { orderId } = await this.passTimeUntil(api.call('createChatCompletion', { body }), RETRY_MS);
    await api.call('cancelOrder', { params: { id: orderId } });
  }

  /** One step of time, and what it began. */
  async #step(ms: number): Promise<void> {
    await this.#tick(ms);
    await this.#caughtUp();
  }

  /** Commits are real, and a clock that runs ahead of them makes the gateway believe in a database that hangs. */
  async #tick(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= CHUNK_MS) {
      await this.#committed();
      await this.clock.advance(Math.min(CHUNK_MS, leftMs));
    }
    await this.#committed();
    await pause(SETTLE_MS);
  }

  /** A step of time that waits for no commit. */
  async #tickOn(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await pause(SETTLE_MS);
  }

  #committed(): Promise<void> {
    return eventually(() => !this.#parts.service.committing, 'a commit');
  }

  /** Time passes only while the gateway is healthy, and a little more when it is not, for the retries that wait for it. */
  async #caughtUp(): Promise<void> {
    await eventually(async () => {
      await this.#committed();
      if ((await this.api.call('getHealth')).status === 200) return true;
      await this.clock.advance(RETRY_MS);
      return false;
    }, 'a gateway that keeps up');
  }

  /** Begins to drain, as SIGTERM does; resolves when the drain is over. */
  stop(): Promise<void> {
    return this.#parts.stop();
  }

  async start(): Promise<void> {
    const backend = await startMockBackend({ reply: () => this.#nextAnswer() });
    const folder = await mkdtemp(join(tmpdir(), 'sluice-contract-'));
    const testDatabase = await createTestDatabase(folder);
    const settings = merged(marketDay(backend.url), this.#settings);
    const environment = { PORT: '0', DATABASE_URL: testDatabase.url, SLUICE_DATA: folder, LOG_LEVEL: 'silent' };
    const config = parseConfig(JSON.stringify(settings), 'contract-test.yaml', environment);
    const service = await createService({ config, clock: this.clock, random: seededRandom(1), log: this.#log });
    const { url, port } = await service.listen();
    const served = withPartnerPrefix(operations, config.partnerPrefix);
    const problems = watchReplies({ port, operations: served, asker: currentTest });
    const office = new Office(testDatabase.directUrl, this.clock);
    let stopped: Promise<void> | null = null;
    const stop = () => (stopped ??= service.close());
    const client = new Client(url);
    const parts = { backend, folder, testDatabase, config, office, service, stop, client, problems };
    this.#running = { ...parts, answeredBefore: 0 };
    await eventually(async () => {
      const health = JSON.parse((await client.call('getHealth')).text);
      return health.healthy_pods === health.pods;
    }, 'healthy pods');
    this.#parts.client = client.as((await this.createAccount()).key);
  }

  /** Stops the server, removes what it left, and fails when the books do not agree. */
  async close(): Promise<void> {
    if (!this.#running) return;
    const { backend, folder, testDatabase, office, stop, client, problems } = this.#running;
    await client.close();
    await whilePending(stop(), () => this.#tick(STEP_MS));
    await backend.close();
    const findings = await this.#audit();
    await office.close();
    await testDatabase.drop();
    await rm(folder, { recursive: true });
    assert.deepEqual(findings, [], 'The audit has findings.');
    assert.deepEqual(problems, [], 'Answers broke the document.');
  }

  async #audit(): Promise<readonly string[]> {
    const { office, config, folder } = this.#parts;
    const { findings } = await audit(office.database, new FolderBlobs(join(folder, 'results')), {
      contents: new FolderContents(join(folder, 'files')),
      bounds: new Map(config.listings.all.map((listing) => [listing.id, listing])),
      slots: new Map(config.pods.map((pod) => [pod.id, pod.slots])),
      nowMs: this.clock.nowMs(),
    });
    return findings;
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

interface Running {
  readonly backend: MockBackend;
  readonly folder: string;
  readonly testDatabase: TestDatabase;
  readonly config: Config;
  readonly office: Office;
  readonly service: Service;
  readonly stop: () => Promise<void>;
  /** What answers broke of the document, whoever asked. */
  readonly problems: readonly string[];
  client: Client;
  answeredBefore: number;
}
