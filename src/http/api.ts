/**
 * The way of every request: route, key, account, rate, size, body, handler, reply. The order is part of the contract
 * (docs/errors.md): a caller without a key learns nothing about the body, and a refused one costs nothing but its head.
 */
import assert from 'node:assert';
import { type Context, OpenAPIBackend } from 'openapi-backend';
import { addressSubject } from '#access/address.ts';
import type { Gate } from '#access/gate.ts';
import type { LimitSettings } from '#access/limits.ts';
import type { RequestRates } from '#access/request-rates.ts';
import { StreamSlots } from '#access/stream-slots.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { FormHandler, Reply } from '#handlers/call.ts';
import { readJsonBody } from './body.ts';
import type { Contract, OperationEntry } from './contract.ts';
import type { Exchange } from './exchange.ts';
import { type FaultJudge, faultOf, faultReply } from './faults.ts';
import { formOf } from './form.ts';
import { preflightReply } from './preflight.ts';
import { assertOneHost } from './protocol.ts';
import { CachedRouter, routingDocument } from './routes.ts';
import type { Traffic } from './traffic.ts';
import { unknownAddress } from './unknown-address.ts';
import { assertValid } from './validation.ts';
import { writeReply } from './write-reply.ts';

/** What the API is made of. `handlers` has one for each operation of the contract. */
export interface ApiParts {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, FormHandler>>;
  readonly gate: Pick<Gate, 'authenticate'>;
  readonly rates: Pick<RequestRates, 'count'>;
  readonly limits: Pick<LimitSettings, 'requestBodyBytes' | 'batchFileBytes' | 'streamsPerAddress'>;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly log: Log;
  readonly isOutage: FaultJudge['isOutage'];
}

/** Answers one request; never rejects. */
export type Api = (exchange: Exchange) => Promise<void>;

/** Builds the API. Throws when an operation of the contract has no handler. */
export async function createApi(parts: ApiParts): Promise<Api> {
  const { contract, limits, traffic } = parts;
  const router = new CachedRouter(contract);
  const backend = new OpenAPIBackend({
    definition: routingDocument(contract),
    quick: true,
    strict: true,
    validate: false,
    handlers: { ...operationHandlers(parts), ...fallbacks(router), preOperationHandler: admission(parts) },
  });
  await backend.init();
  backend.router = router;

  async function replyTo(exchange: Exchange): Promise<Reply> {
    const { path, request } = exchange;
    assertOneHost(request);
    if (request.method === 'OPTIONS') return preflightReply(router.methodsAt(path));
    return backend.handleRequest({ method: request.method.toLowerCase(), path, headers: {} }, exchange);
  }

  return async (exchange) => {
    const settings = () => {
      const takesForm = contract.operations[exchange.operationId ?? '']?.body === 'multipart';
      const bodyBytesMax = takesForm ? limits.batchFileBytes : limits.requestBodyBytes;
      return { closeConnection: traffic.draining, discardBytesMax: 4 * bodyBytesMax };
    };
    try {
      await writeReply(exchange, await replyTo(exchange), settings());
    } catch (thrown) {
      // A caller who left while sending a body needs no answer, and the error is only that it left.
      if (exchange.gone) return;
      const fault = faultOf(thrown, exchange, parts);
      if (exchange.response.headersSent) exchange.response.destroy();
      else await writeReply(exchange, faultReply(fault, exchange), settings());
    }
  };
}

type BackendHandler = (context: Context, exchange: Exchange) => Reply | Promise<Reply>;

function operationHandlers({ contract, handlers }: ApiParts): Record<string, BackendHandler> {
  const entries = Object.keys(contract.operations).map((operationId): [string, BackendHandler] => {
    const handler = handlers[operationId];
    assert(handler, `operation ${operationId} has no handler`);
    return [operationId, (_context, exchange) => handler(exchange)];
  });
  return Object.fromEntries(entries);
}

/** Every way out that openapi-backend knows; the ones that cannot happen here fail closed. */
function fallbacks(router: CachedRouter): Record<string, BackendHandler> {
  const impossible = () => assert.fail('openapi-backend took a way that is switched off');
  return {
    notFound(_context, { path }) {
      throw unknownAddress(path, router);
    },
    methodNotAllowed(_context, { path, request }) {
      const allow = router.methodsAt(path).join(', ');
      throw new Fault('method_not_allowed', {
        message: `This address takes ${allow}, not ${request.method}.`,
        headers: { allow },
      });
    },
    notImplemented: impossible,
    unauthorizedHandler: impossible,
    validationFail: impossible,
  };
}

/**
 * Everything between routing and the handler. Who may call is decided here, by the operations table, and not by
 * openapi-backend: it would take either of two keys, where Spec 5 says that Authorization wins.
 */
function admission({ contract, gate, rates, limits, traffic, clock }: ApiParts) {
  const streams = new StreamSlots(limits.streamsPerAddress);
  return async ({ operation, request }: Context, exchange: Exchange): Promise<void> => {
    const operationId = operation.operationId ?? '';
    const entry = contract.operations[operationId];
    assert(entry, `operation ${operationId} is not in the table`);
    exchange.operationId = operationId;
    exchange.params = request.params;
    if (entry.security !== 'open') exchange.principal = await gate.authenticate(exchange.headers, entry.security);
    if (traffic.draining && startsWork(entry)) throw new Fault('unavailable', { retryAfterS: DRAIN_RETRY_S });
    const address = exchange.principalOrNull ? '' : addressSubject(exchange.request.ip);
    rates.count(entry.limitClass, { principal: exchange.principalOrNull, address });
    if (entry.limitClass === 'stream') exchange.onClosed(streams.take(address));
    if (entry.body === 'multipart') {
      const bytesMax = limits.batchFileBytes + FORM_BYTES_MAX;
      exchange.form = formOf(exchange.request, exchange.response, { bytesMax, clock });
    }
    const validator = contract.requestBodies[operationId];
    if (!validator) return;
    exchange.body = await readJsonBody(exchange.request, exchange.response, limits.requestBodyBytes);
    assertValid(validator, exchange.body);
  };
}

/** What a form may have beside its file. */
const FORM_BYTES_MAX = 1024 * 1024;

/** By then another process answers at this address. */
const DRAIN_RETRY_S = 5;

function startsWork({ limitClass }: OperationEntry): boolean {
  return limitClass === 'inference' || limitClass === 'batch';
}
