/**
 * An application over a contract of a few invented operations, for the tests of src/http: what they prove holds for
 * every operation, whatever openapi.yaml says.
 */
import { type LimitSettings, limitDefaults } from '#access/limits.ts';
import type { Principal } from '#access/principal.ts';
import { RequestRates } from '#access/request-rates.ts';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { type Log, silentLog } from '#base/log.ts';
import type { AnyHandler } from '#contract/call.ts';
import { createApp } from '#http/app.ts';
import type { Contract } from '#http/contract.ts';
import { ReplyDrain } from '#http/drain.ts';
import type { Pages } from '#http/pages.ts';
import { HttpServer } from '#http/server.ts';
import { ManualClock } from './manual-clock.ts';
import { principalWith } from './principals.ts';

/** Requires an object with a `name`. */
const named = Object.assign(
  (body: unknown): body is { name: string } => typeof body === 'object' && body !== null && 'name' in body,
  {
    errors: [
      {
        instancePath: '',
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'name' },
        message: "must have required property 'name'",
      },
    ],
  },
);

/** One operation of each kind; `sendMessage` is on a Messages route. */
export const fakeContract: Contract = {
  operations: {
    sendChat: {
      method: 'post',
      path: '/v1/chat/completions',
      security: 'key',
      limitClass: 'inference',
      scope: 'inference',
      body: 'json',
    },
    sendMessage: {
      method: 'post',
      path: '/v1/messages',
      security: 'key-or-header',
      limitClass: 'inference',
      scope: 'inference',
      body: 'json',
    },
    getOrder: {
      method: 'get',
      path: '/v1/orders/{id}',
      security: 'key',
      limitClass: 'account',
      scope: 'read',
      body: null,
    },
    reprice: {
      method: 'post',
      path: '/v1/orders/price',
      security: 'key',
      limitClass: 'account',
      scope: 'change',
      body: null,
    },
    cancelOrder: {
      method: 'post',
      path: '/v1/orders/{id}/cancel',
      security: 'key',
      limitClass: 'account',
      scope: 'change',
      body: null,
    },
    sendFile: {
      method: 'post',
      path: '/v1/files',
      security: 'key',
      limitClass: 'file',
      scope: 'inference',
      body: 'multipart',
    },
    getModels: { method: 'get', path: '/v1/models', security: 'open', limitClass: 'public', body: null },
    getHealth: { method: 'get', path: '/healthz', security: 'open', limitClass: 'free', body: null },
  },
  requestBodies: { sendChat: named, sendMessage: named },
};

/** `good` is a key of the account `acc`, `suspended` of a suspended account; any other key is invalid. */
function fakePrincipal(authorization: string | undefined): Principal {
  if (authorization === 'Bearer suspended') throw new Fault('account_suspended');
  if (authorization !== 'Bearer good') throw new Fault('invalid_api_key');
  return principalWith();
}

/** What a test may change. */
export interface FakeSettings {
  /** `fakeContract` when absent. */
  readonly contract?: Contract;
  readonly handlers?: Readonly<Record<string, AnyHandler>>;
  readonly limits?: Partial<LimitSettings>;
  readonly trustProxy?: number | readonly string[];
  /** None when absent. */
  readonly pages?: Pages;
  readonly log?: Log;
}

/** A server on a free port, and what controls it. */
export interface FakeServer {
  readonly url: string;
  readonly port: number;
  readonly clock: ManualClock;
  readonly drain: ReplyDrain;
  readonly server: HttpServer;
  /** Stops it at once, whatever is running. */
  stop(): Promise<void>;
}

/** Starts the server. Operations without a handler answer 200 with their arguments. */
export async function startFake(settings: FakeSettings = {}): Promise<FakeServer> {
  const { contract = fakeContract, handlers, trustProxy = 0, log = silentLog } = settings;
  const clock = new ManualClock();
  const drain = new ReplyDrain();
  const limits = { ...limitDefaults, ...settings.limits };
  const echo: AnyHandler = ({ params, queryTexts: query, body }) => ({ status: 200, json: { params, query, body } });
  const all = Object.fromEntries(Object.keys(contract.operations).map((id) => [id, handlers?.[id] ?? echo]));
  const app = createApp({
    contract,
    handlers: all,
    authenticator: { authenticate: async (headers) => fakePrincipal(headers.authorization) },
    rates: new RequestRates(limits, clock),
    limits,
    largeBodies: null,
    drain,
    log,
    isOutage: () => false,
    ids: idSource(clock),
    clock,
    trustProxy,
    pages: settings.pages ?? null,
    console: null,
  });
  const server = new HttpServer({ app, drain, ids: idSource(clock), clock, log });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    clock,
    drain,
    server,
    stop: () => stop(server, clock),
  };
}

async function stop(server: HttpServer, clock: ManualClock): Promise<void> {
  const drained = server.drain(0);
  await clock.advance(0);
  await drained;
}

/** An error body of either envelope. */
export interface ErrorAnswer {
  readonly type?: string;
  readonly error: { readonly type: string; readonly message: string; readonly code: string; readonly param?: string };
  readonly request_id?: string;
}

/** The error in an answer; its members are undefined when there is none. */
export async function errorIn(answer: Response): Promise<ErrorAnswer> {
  return (await answer.json()) as ErrorAnswer;
}
