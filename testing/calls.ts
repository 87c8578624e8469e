/** Calls for tests of handlers, without a server. */
import assert from 'node:assert/strict';
import type { AnyCall, FormCall } from '#contract/call.ts';
import type { PublicId } from '#contract/operation.ts';
import type { QueryTexts } from '#contract/query.ts';
import type { Reply } from '#contract/reply.ts';
import { queries } from '#generated/queries.ts';
import { principalWith } from './principals.ts';

/** A call whose caller can hang up. */
export type TestCall<Id extends PublicId> = FormCall<Id> & {
  /** Closes the caller's connection, after so many bytes of the reply. */
  hangUp(sent?: number): void;
  /** The reply has been written whole, or the refusal. */
  replied(refused?: boolean): void;
};

/** What a test may give a call: the texts of its query, and anything else of it. */
export type CallParts = Partial<Omit<AnyCall, 'query' | 'queryTexts'>> & { readonly query?: QueryTexts };

/** A call of an operation with only a principal; `more` adds to it. */
export function testCall<Id extends PublicId>(id: Id, { query = {}, ...more }: CallParts = {}): TestCall<Id> {
  const onGone: (() => void)[] = [];
  const onSent: ((bytes: number) => void)[] = [];
  let gone = false;
  const readers: Readonly<Record<string, (texts: QueryTexts) => unknown>> = queries;
  const call = {
    params: {},
    query: readers[id]?.(query) ?? {},
    headers: {},
    body: undefined,
    dropBody: () => {},
    requestId: 'req_1',
    trace: { requestId: 'req_1', context: null },
    headersOnly: false,
    principal: principalWith(),
    onGone: (run: () => void) => {
      if (gone) queueMicrotask(run);
      else onGone.push(run);
    },
    onSent: (run: (bytes: number) => void) => void onSent.push(run),
    hangUp: (sent = 0) => {
      gone = true;
      for (const run of onGone) run();
      for (const run of onSent) run(sent);
    },
    replied: (refused = false) => {
      for (const run of onSent) run(refused ? 0 : Number.POSITIVE_INFINITY);
    },
    ...more,
  };
  return call as unknown as TestCall<Id>;
}

/** The JSON of a whole reply as its caller gets it, whether it is rendered yet or not. */
export function jsonOf(reply: Reply): unknown {
  if ('raw' in reply) return JSON.parse(String(reply.raw));
  assert.ok('json' in reply);
  return JSON.parse(JSON.stringify(reply.json));
}
