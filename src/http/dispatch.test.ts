import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { Reply } from '#contract/reply.ts';
import { operations as consoleOperations } from '#generated/console-api/operations.ts';
import { operations } from '#generated/operations.ts';
import { type DispatchContract, type DispatchEntry, REQUIREMENTS, Router } from './contract.ts';
import { createBackend, type DocumentHandlers, type Matched } from './dispatch.ts';
import type { RequestContext } from './request-context.ts';

type Steps = DocumentHandlers<DispatchEntry, RequestContext>;

const isNamed = Object.assign((body: unknown): body is { name: string } => 'name' in Object(body), {
  errors: [{ instancePath: '', schemaPath: '', keyword: 'required', params: { missingProperty: 'name' } }],
});
const contract: DispatchContract<DispatchEntry> = {
  operations: {
    getOpen: { method: 'get', path: '/open', security: 'open' },
    getEither: { method: 'get', path: '/either', security: 'key-or-header' },
    postBoth: { method: 'post', path: '/both', security: 'session-csrf' },
  },
  requestBodies: { postBoth: isNamed },
};

/** The steps that a request passes, in the order in which they are called, and the reply or what was thrown. */
async function passed(method: string, path: string, settings: Partial<Steps> = {}, body: unknown = { name: 'a' }) {
  const steps: string[] = [];
  const note = (step: string) => () => void steps.push(step);
  const answer = (operationId: string) => (): Reply => {
    steps.push(operationId);
    return { status: 200 };
  };
  const pass = (scheme: string) => () => {
    steps.push(scheme);
    return true;
  };
  const backend = createBackend(new Router(contract), {
    handlers: { getOpen: answer('getOpen'), getEither: answer('getEither'), postBoth: answer('postBoth') },
    callOf: ({ request }) => request,
    postRoutingHandler: note('routed'),
    securityHandlers: {
      bearerAuth: pass('bearerAuth'),
      apiKeyHeader: pass('apiKeyHeader'),
      sessionCookie: pass('sessionCookie'),
      csrfToken: pass('csrfToken'),
    },
    postSecurityHandler: note('admitted'),
    ...settings,
  });
  const call = { request: { method }, path, operationId: null, params: {}, body, bodyChecked: false };
  const sent = backend.handleRequest(call as unknown as RequestContext);
  return {
    steps,
    end: await sent.then(
      ({ status }) => status,
      (error: unknown) => error,
    ),
  };
}

const faultOf = ({ end }: { end: unknown }) => (end instanceof Fault ? end.code : end);
const refuse = (code: 'invalid_api_key' | 'forged_request' | 'account_suspended') => () => {
  throw new Fault(code);
};

describe('a request', () => {
  test('passes routing, security, admission and its handler in this order', async () => {
    const open = await passed('GET', '/open');
    assert.deepEqual(open, { steps: ['routed', 'admitted', 'getOpen'], end: 200 });
    const { steps } = await passed('POST', '/both');
    assert.deepEqual(steps, ['routed', 'sessionCookie', 'csrfToken', 'admitted', 'postBoth']);
  });

  test('to an unknown address is 404, and with an unknown method 405', async () => {
    assert.equal(faultOf(await passed('GET', '/nothing')), 'not_found');
    assert.equal(faultOf(await passed('PUT', '/open')), 'method_not_allowed');
  });

  test('with an invalid body never reaches its handler, unless the body was checked elsewhere', async () => {
    const invalid = await passed('POST', '/both', {}, {});
    assert.equal(faultOf(invalid), 'invalid_request');
    assert.deepEqual(invalid.steps.at(-1), 'admitted');
    const postSecurityHandler = ({ request }: Matched<DispatchEntry>) => {
      request.bodyChecked = true;
    };
    assert.equal((await passed('POST', '/both', { postSecurityHandler }, {})).end, 200);
  });

  test('is refused by what the first failing scheme threw, after admission has had its say', async () => {
    const both = { sessionCookie: () => true, csrfToken: refuse('forged_request') };
    const forged = await passed('POST', '/both', { securityHandlers: both });
    assert.equal(faultOf(forged), 'forged_request');
    assert.deepEqual(forged.steps, ['routed', 'admitted']);
    const seen: boolean[] = [];
    const postSecurityHandler = ({ security }: Matched<DispatchEntry>) => void seen.push(security.authorized);
    await passed('POST', '/both', { securityHandlers: both, postSecurityHandler });
    assert.deepEqual(seen, [false]);
  });

  test('of two alternative schemes needs one; one that returns false leaves the decision to the other', async () => {
    const either = async (securityHandlers: Steps['securityHandlers']) =>
      faultOf(await passed('GET', '/either', { securityHandlers }));
    assert.equal(await either({ bearerAuth: () => false, apiKeyHeader: () => true }), 200);
    assert.equal(
      await either({ bearerAuth: refuse('account_suspended'), apiKeyHeader: () => false }),
      'account_suspended',
    );
    assert.equal(await either({ bearerAuth: () => false, apiKeyHeader: () => false }), 'invalid_api_key');
    assert.equal(await either({}), 'invalid_api_key');
  });
});

describe('the gateway does not start', () => {
  const parts = { callOf: ({ request }: Matched<DispatchEntry>) => request, postSecurityHandler: () => {} };
  const reply = () => ({ status: 200 });
  const handlers = { getOpen: reply, getEither: reply, postBoth: reply };

  test('with an operation that has no handler', () => {
    const { postBoth: _, ...missing } = handlers;
    assert.throws(
      () => createBackend(new Router(contract), { ...parts, handlers: missing, securityHandlers: {} }),
      /^Error: Operation postBoth has no handler\.$/,
    );
  });

  test('with a handler of no operation, or of no scheme', () => {
    const one = { ...parts, handlers: { ...handlers, getNothing: reply }, securityHandlers: {} };
    assert.throws(() => createBackend(new Router(contract), one), /Unknown operationId getNothing/);
    const other = { ...parts, handlers, securityHandlers: { passport: () => true } };
    assert.throws(() => createBackend(new Router(contract), other), /Unknown security scheme passport/);
  });
});

test('every operation requires the schemes that its document names', () => {
  const documents: [string, Readonly<Record<string, DispatchEntry>>][] = [
    ['openapi.json', operations],
    ['console-api/openapi.json', consoleOperations],
  ];
  for (const [name, table] of documents) {
    const text = readFileSync(new URL(`../../generated/${name}`, import.meta.url), 'utf8');
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { security: unknown }>> };
    for (const [id, { path, method, security }] of Object.entries(table))
      assert.deepEqual(paths[path]?.[method]?.security, REQUIREMENTS[security], id);
  }
});
