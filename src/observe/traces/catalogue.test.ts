import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attributeCatalogue } from './catalogue.ts';

const page = readFileSync(new URL('../../../docs/sell/monitoring.md', import.meta.url), 'utf8');

/** The spans; braces stand for what differs. */
const spans = {
  '{method} {route}': {
    kind: 'SERVER',
    what: 'An API request, from its head to the end of the response. Its parent is the span of the caller, if any.',
  },
  'order {model}': {
    kind: 'INTERNAL',
    what: 'An order without a waiting caller, from submission to end, in its own trace: detached, with a link to its request; a batch line; or left by an earlier process or another gateway.',
  },
  queue: {
    kind: 'INTERNAL',
    what: 'From submission, or a failed attempt, until the market admits the order or it ends.',
  },
  admission: { kind: 'INTERNAL', what: 'From there until the admission has committed and the input is read.' },
  'chat {model}': {
    kind: 'CLIENT',
    what: 'An attempt on a pod; `traceparent` makes it the parent of the spans of the pod.',
  },
  settlement: { kind: 'INTERNAL', what: 'From the end of the run until its charge or failure has committed.' },
};

test('docs/sell/monitoring.md has the table of all spans', () => {
  const rows = Object.entries(spans).map(([name, { kind, what }]) => `| \`${name}\` | ${kind} | ${what} |`);
  const table = ['| span | kind | what |', '|---|---|---|', ...rows].join('\n');
  assert.ok(page.includes(`\n${table}\n`), `Put this table there:\n${table}`);
});

test('docs/sell/monitoring.md names every attribute', () => {
  assert.deepEqual(
    Object.keys(attributeCatalogue).filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});
