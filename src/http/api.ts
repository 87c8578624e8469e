/**
 * The path of every request: route, key, account, rate, size, body, handler, reply. The order is part of the contract
 * (docs/errors.md): without a key a caller learns nothing about the body, and for a refusal only the headers are read.
 */
import assert from 'node:assert';
import { addressSubject } from '#access/address.ts';
import type { LimitSettings } from '#access/limits.ts';
import type { RequestRates } from '#access/request-rates.ts';
import { StreamSlots } from '#access/stream-slots.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import { assertValid } from '#adapters/common/validation.ts';
import type { Clock } from '#base/clock.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { FormHandler, Reply } from '#contract/call.ts';
import { jsonBody } from '#handlers/json-body.ts';
import { LARGE_BODY_BYTES, type LargeBodies } from '#handlers/large-bodies.ts';
import { arrivedBody, expectedBytes, readBody } from './body.ts';
import { BodyBudget, FREE_BYTES_MAX } from './body-budget.ts';
import { Compressor } from './compression.ts';
import type { Contract, OperationEntry } from './contract.ts';
import { type FaultOptions, faultOf, faultReply } from './faults.ts';
import { formOf } from './form.ts';
import { preflightReply } from './preflight.ts';
import { assertUnambiguous } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import { type Route, Router } from './routes.ts';
import type { Traffic } from './traffic.ts';
import { unknownAddress } from './unknown-address.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { type ReplySettings, writeReply } from './write-reply.ts';

/** What the API needs. `handlers` has one for each operation of the contract. */
export interface ApiOptions {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, FormHandler>>;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** Counts a request at once, or when another gateway has answered. */
  readonly rates: { count(...request: Parameters<RequestRates['count']>): undefined | Promise<void> | void };
  readonly limits: Pick<
    LimitSettings,
    'requestBodyBytes' | 'requestBytesAtOnce' | 'unreadBytes' | 'batchFileBytes' | 'streamsPerAddress'
  >;
  /** Null: large bodies are read like small ones. */
  readonly largeBodies: Pick<LargeBodies, 'read'> | null;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly log: Log;
  readonly isOutage: FaultOptions['isOutage'];
  /** A request was answered with this error. */
  readonly onRefusal?: ((code: FaultCode) => void) | undefined;
}

/** Answers one request; never rejects. */
export type Api = (context: RequestContext) => Promise<void>;

/** Builds the API. Throws when an operation of the contract has no handler, or a handler is of no operation. */
export function createApi(options: ApiOptions): Api {
  const { contract, handlers, limits, traffic, log } = options;
  assertHandled(contract, handlers);
  const unread = new UnreadBytes(() => limits.unreadBytes, log);
  const router = new Router(contract);
  const compressor = new Compressor();
  const check = checks(options);

  async function replyTo(context: RequestContext): Promise<Reply> {
    const { path, request } = context;
    assertUnambiguous(request);
    if (request.method === 'OPTIONS') {
      return preflightReply(router.methodsAt(path), request.headers['access-control-request-headers']);
    }
    const route = router.match(request.method, path);
    if (!route) throw notRouted(context, router);
    await check(route, context);
    const handler = handlers[route.operationId];
    assert(handler, `operation ${route.operationId} has no handler`);
    return handler(context);
  }

  const settingsOf = ({ operationId }: RequestContext): ReplySettings => {
    const takesForm = contract.operations[operationId ?? '']?.body === 'multipart';
    const bodyBytesMax = takesForm ? limits.batchFileBytes : limits.requestBodyBytes;
    return { closeConnection: traffic.draining, discardBytesMax: 4 * bodyBytesMax, compressor, unread };
  };
  return async (context) => {
    try {
      const reply = await replyTo(context);
      const written = writeReply(context, reply, settingsOf(context));
      if (written) await written;
    } catch (thrown) {
      // The caller disconnected while it sent the body: nobody is there to read a reply, and nothing is wrong.
      if (context.gone) return;
      const fault = faultOf(thrown, context, options);
      context.fault = fault.code;
      options.onRefusal?.(fault.code);
      if (context.response.headersSent) context.response.destroy();
      else await writeReply(context, faultReply(fault, context), settingsOf(context));
    }
  };
}

/** The table and the handlers name the same operations, so that the server and the document cannot drift apart. */
function assertHandled({ operations }: Contract, handlers: ApiOptions['handlers']): void {
  for (const operationId of Object.keys(operations))
    assert(handlers[operationId], `operation ${operationId} has no handler`);
  for (const name of Object.keys(handlers)) assert(operations[name], `handler ${name} is of no operation`);
}

function notRouted({ path, request }: RequestContext, router: Router): Fault {
  const methods = router.methodsAt(path);
  if (methods.length === 0) return unknownAddress(path, router);
  const allow = methods.join(', ');
  return new Fault('method_not_allowed', {
    message: `This address takes ${allow}, not ${request.method}.`,
    headers: { allow },
  });
}

/** Every check between routing and the handler. The operations table decides here which key is needed. */
function checks({ contract, authenticator, rates, limits, largeBodies, traffic, clock }: ApiOptions) {
  const streams = new StreamSlots(() => limits.streamsPerAddress);
  const bodies = new BodyBudget(() => limits.requestBytesAtOnce, clock);
  return async ({ operationId, params }: Route, context: RequestContext): Promise<void> => {
    const entry = contract.operations[operationId];
    assert(entry, `operation ${operationId} is not in the table`);
    context.operationId = operationId;
    context.params = params;
    if (entry.security !== 'open')
      context.principal = await authenticator.authenticate(context.headers, entry.security);
    if (traffic.draining && startsWork(entry)) throw new Fault('unavailable', { retryAfterS: DRAIN_RETRY_S });
    const address = context.principalOrNull ? '' : addressSubject(context.request.ip);
    const counting = rates.count(entry.limitClass, { principal: context.principalOrNull, address });
    if (counting) await counting;
    if (entry.limitClass === 'stream') context.onClosed(streams.take(address));
    if (entry.body === 'multipart') {
      const bytesMax = limits.batchFileBytes + FORM_BYTES_MAX;
      context.form = formOf(context.request, context.response, { bytesMax, clock });
    }
    const validator = contract.requestBodies[operationId];
    if (!validator) return;
    const bytes =
      arrivedBody(context.request, limits.requestBodyBytes) ?? (await bodyOf(context, limits.requestBodyBytes, bodies));
    if (largeBodies && bytes.length > LARGE_BODY_BYTES) {
      context.body = await largeBodies.read({ operationId, headers: context.headers, bytes });
    } else {
      context.body = jsonBody(bytes);
      assertValid(validator, context.body);
    }
  };
}

/** Reads the body with a share of the budget, which is given back when the handler drops the body or has replied. */
async function bodyOf(context: RequestContext, bytesMax: number, bodies: BodyBudget): Promise<Buffer> {
  const { request, response } = context;
  const bytes = expectedBytes(request, bytesMax);
  if (bytes <= FREE_BYTES_MAX) return readBody(request, response, bytesMax);
  const share = await bodies.take(bytes, context.principalOrNull?.account.id ?? '');
  context.onBodyDropped(share.release);
  const body = await readBody(request, response, bytesMax, share.signal);
  share.arrived();
  return body;
}

/** For everything in a form besides its file. */
const FORM_BYTES_MAX = 1024 * 1024;

/** By then another process should listen at this address. */
const DRAIN_RETRY_S = 5;

function startsWork({ limitClass }: OperationEntry): boolean {
  return limitClass === 'inference' || limitClass === 'batch';
}
