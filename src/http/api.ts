/**
 * The path of every request to /v1: route, key, account, address and scope of the key, rate, size, body, handler, reply.
 * The order is part of the contract (docs/buy/errors.md): without a key a caller learns nothing about the body, and for a
 * refusal only the headers are read.
 */
import assert from 'node:assert';
import type { LimitSettings } from '#access/limits.ts';
import type { RequestRates } from '#access/request-rates.ts';
import { authorized } from '#access/scopes.ts';
import type { Authenticator } from '#accounts/keys/authenticator.ts';
import type { Clock } from '#base/clock.ts';
import { jsonBody } from '#base/exact-json.ts';
import { FairShare } from '#base/fair-share.ts';
import { Fault } from '#base/fault.ts';
import type { Reply } from '#contract/reply.ts';
import { LARGE_BODY_BYTES, type LargeBodies } from '#handlers/large-bodies.ts';
import { arrivedBody, expectedBytes, readBody } from './body.ts';
import { BodyBudget, FREE_BYTES_MAX } from './body-budget.ts';
import { formOf } from './body-stream.ts';
import type { Contract, OperationEntry, Router } from './contract.ts';
import { type AnswerSettings, type Api, answering, DRAIN_RETRY_S, type Matched } from './dispatch.ts';
import type { ReplyDrain } from './drain.ts';
import { faultReply } from './faults.ts';
import type { RequestContext } from './request-context.ts';

/** What the API needs. `handlers` has one for each operation of the contract. */
export interface ApiOptions extends AnswerSettings {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, (call: never) => Promise<Reply> | Reply>>;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  /** Counts a request at once, or when another gateway has answered. */
  readonly rates: { count(...request: Parameters<RequestRates['count']>): undefined | Promise<void> | void };
  readonly limits: Pick<
    LimitSettings,
    'requestBodyBytes' | 'requestBytesAtOnce' | 'unreadBytes' | 'batchFileBytes' | 'streamsPerAddress'
  >;
  /** Null: large bodies are read like small ones. */
  readonly largeBodies: Pick<LargeBodies, 'read'> | null;
  readonly drain: ReplyDrain;
  readonly clock: Clock;
}

/** Builds the API. Throws when an operation of the contract has no handler, or a handler is of no operation. */
export function createApi(options: ApiOptions): Api {
  const { contract, handlers, limits } = options;
  const document = {
    contract,
    handlers,
    callOf: ({ request }: Matched<OperationEntry>) => request,
    securityHandlers: keyChecks(options.authenticator),
    postSecurityHandler: admission(options),
    apart: preflightOf,
    faultReply,
    headers: ANY_ORIGIN,
    discardBytesMax({ operationId }: RequestContext) {
      const takesForm = contract.operations[operationId ?? '']?.body === 'multipart';
      return 4 * (takesForm ? limits.batchFileBytes : limits.requestBodyBytes);
    },
  };
  return answering(document, options);
}

/** Authorization wins where both headers are sent. Spec 5. */
function keyChecks(authenticator: ApiOptions['authenticator']) {
  const check = async (call: RequestContext, { security, scope, path }: OperationEntry) => {
    if (security === 'open') return true;
    assert(scope, `an operation at ${path} does not say what its key must be allowed`);
    call.principal = authorized(await authenticator.authenticate(call.headers, security), scope, call.request.ip);
    return true;
  };
  const isInHeader = ({ headers }: RequestContext) =>
    headers.authorization === undefined && headers['x-api-key'] !== undefined;
  return {
    bearerAuth: ({ request, operation: { entry } }: Matched<OperationEntry>) =>
      (entry.security === 'key' || !isInHeader(request)) && check(request, entry),
    apiKeyHeader: ({ request, operation: { entry } }: Matched<OperationEntry>) =>
      isInHeader(request) && check(request, entry),
  };
}

/** Every check between the key and the fields of the body: drain, rate, size, JSON. */
function admission({ rates, limits, largeBodies, drain, clock }: ApiOptions) {
  const streams = new FairShare(Number.POSITIVE_INFINITY, () => limits.streamsPerAddress);
  const bodies = new BodyBudget(() => limits.requestBytesAtOnce, clock);
  return async ({ request: call, operation, security }: Matched<OperationEntry>): Promise<void> => {
    const { entry, operationId, validator } = operation;
    if (entry.security !== 'open' && !security.authorized) return;
    const startsWork = entry.limitClass === 'inference' || entry.limitClass === 'batch';
    if (drain.draining && startsWork) throw new Fault('unavailable', { retryAfterS: DRAIN_RETRY_S });
    const address = call.principalOrNull ? '' : call.address;
    const counting = rates.count(entry.limitClass, { principal: call.principalOrNull, address });
    if (counting) await counting;
    if (entry.limitClass === 'stream') {
      const message = `This address already has ${limits.streamsPerAddress} open market streams. Close one first.`;
      call.onClosed(streams.take(address, { message }));
    }
    if (entry.body === 'multipart') {
      const bytesMax = limits.batchFileBytes + FORM_BYTES_MAX;
      call.form = formOf(call.request, call.response, { bytesMax, clock });
    }
    if (!validator) return;
    const { requestBodyBytes } = limits;
    const bytes = arrivedBody(call.request, requestBodyBytes) ?? (await bodyOf(call, requestBodyBytes, bodies));
    call.bodyChecked = largeBodies !== null && bytes.length > LARGE_BODY_BYTES;
    call.body = call.bodyChecked
      ? await largeBodies?.read({ operationId, headers: call.headers, bytes })
      : jsonBody(bytes);
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

/** Allowed whether or not the browser asks for them. */
const HEADERS = [
  'authorization',
  'x-api-key',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-client-request-id',
  'x-dry-run',
  'x-expires-after',
  'x-max-charge-usd',
  'x-deadline',
  'x-max-price',
  'x-price-limit',
  'x-request-id',
  'x-strict',
  'x-tags',
];

/**
 * The headers that official clients add about themselves, more of them in each release. `*` would allow all but
 * `Authorization`, yet older browsers do not know it, and it lets a page send what a proxy in front may trust, such as
 * `X-Forwarded-For`.
 */
const FAMILY = /^(?:anthropic|openai|x-stainless)-[a-z\d-]{1,64}$/;
/** Far more than any client sends. */
const FAMILY_HEADERS_MAX = 50;

/**
 * The reply to the preflight by which a browser asks what a page of another site may send; null for any other request.
 * Throws not_found when the path has no methods.
 */
function preflightOf({ request, path, headers }: RequestContext, router: Router<OperationEntry>): Reply | null {
  if (request.method !== 'OPTIONS') return null;
  const methods = router.methodsAt(path);
  if (methods.length === 0) throw new Fault('not_found');
  const allowed = methods.join(', ');
  const asked = (headers['access-control-request-headers'] ?? '').toLowerCase().split(',');
  const family = asked.map((name) => name.trim()).filter((name) => FAMILY.test(name));
  return {
    status: 204,
    headers: {
      allow: `${allowed}, OPTIONS`,
      'access-control-allow-methods': allowed,
      'access-control-allow-headers': [...HEADERS, ...family.slice(0, FAMILY_HEADERS_MAX)].join(', '),
      'access-control-max-age': '86400',
    },
  };
}

/** Keys are sent in headers, never in cookies, so any web page may read what its key allows. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'x-service-order-id',
    'idempotent-replayed',
    'deprecation',
    'sunset',
    'x-warning',
    'x-request-id',
    'request-id',
    'retry-after',
    'x-should-retry',
    'etag',
    'x-price-valid-until',
    'x-price-window-seconds',
    'content-disposition',
  ].join(', '),
};
