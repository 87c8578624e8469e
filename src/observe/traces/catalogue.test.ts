import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attributeCatalogue } from './catalogue.ts';

const page = readFileSync(new URL('../../../docs/sell/operating.md', import.meta.url), 'utf8');

/** The spans; braces stand for what differs. */
const spans = {
  '{method} {route}': {
    kind: 'SERVER',
    what: 'A request of the API, from its head to the end of the response. Its parent is the span of the caller, if there is one.',
  },
  'order {model}': {
    kind: 'INTERNAL',
    what: 'An order for which nobody waits, from submission to its end, in a trace of its own: a detached one, with a link to its request; a line of a batch; one that an earlier process or another gateway left.',
  },
  queue: {
    kind: 'INTERNAL',
    what: 'The wait from submission, or from a failed attempt, until the market admits the order or it ends.',
  },
  admission: { kind: 'INTERNAL', what: 'From there until the admission has committed and the input is read.' },
  'chat {model}': {
    kind: 'CLIENT',
    what: 'An attempt on a pod; `traceparent` makes it the parent of what the pod does.',
  },
  settlement: { kind: 'INTERNAL', what: 'From the end of the run until its charge, or its failure, has committed.' },
};

test('docs/sell/operating.md has the table of all spans', () => {
  const rows = Object.entries(spans).map(([name, { kind, what }]) => `| \`${name}\` | ${kind} | ${what} |`);
  const table = ['| span | kind | what |', '|---|---|---|', ...rows].join('\n');
  assert.ok(page.includes(`\n${table}\n`), `Put this table there:\n${table}`);
});

test('docs/sell/operating.md has the table of all attributes', () => {
  const rows = Object.entries(attributeCatalogue).map(([name, { on, what }]) => `| \`${name}\` | ${on} | ${what} |`);
  const table = ['| attribute | of | what |', '|---|---|---|', ...rows].join('\n');
  assert.ok(page.includes(`\n${table}\n`), `Put this table there:\n${table}`);
});
