/** Calls for tests of handlers, without a server. */
import assert from 'node:assert/strict';
import type { Reply, SecuredCall } from '#contract/call.ts';
import { principalWith } from './principals.ts';

/** A call whose caller can hang up. */
export interface TestCall extends SecuredCall {
  /** Closes the caller's connection. */
  hangUp(): void;
}

/** A call with only a principal; `more` adds to it. */
export function testCall(more: Partial<SecuredCall> = {}): TestCall {
  const onGone: (() => void)[] = [];
  let gone = false;
  return {
    params: {},
    query: {},
    headers: {},
    body: undefined,
    dropBody: () => {},
    requestId: 'req_1',
    trace: { requestId: 'req_1', context: null },
    headersOnly: false,
    principal: principalWith(),
    onGone: (run) => {
      if (gone) queueMicrotask(run);
      else onGone.push(run);
    },
    hangUp: () => {
      gone = true;
      for (const run of onGone) run();
    },
    ...more,
  };
}

/** The JSON of a whole reply, whether it is rendered yet or not. */
export function jsonOf(reply: Reply): unknown {
  if ('raw' in reply) return JSON.parse(String(reply.raw));
  assert.ok('json' in reply);
  return reply.json;
}
