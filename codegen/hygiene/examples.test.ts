import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocument } from '../document.ts';
import { exampleFindings } from './examples.ts';

/** A document of one answer, with this content. */
const answering = (media: string) =>
  readDocument(`
security: [{ key: [] }]
paths:
  /v1/ticks:
    get:
      operationId: getTicks
      tags: [Ticks]
      x-limit-class: public
      x-scope: read
      responses:
        '200': { description: Ticks, content: { ${media} } }
components:
  schemas:
    Tick: { type: object, required: [at], properties: { at: { type: number } } }
`);
const TICK = "{ $ref: '#/components/schemas/Tick' }";
const stream = (examples = '') => answering(`text/event-stream: { schema: ${TICK}${examples} }`);
const file = (text: string) =>
  answering(
    `application/jsonl: { schema: { type: string }, x-line-schema: [${TICK}], examples: { some: { value: "${text}" } } }`,
  );

describe('an example', () => {
  it('is required for every body', () => {
    assert.deepEqual(exampleFindings(stream()), ['getTicks 200 text/event-stream has no example.']);
  });

  it('of a stream must be an event that matches its schema', () => {
    const example = (value: string) => stream(`, examples: { some: { value: ${value} } }`);
    assert.deepEqual(exampleFindings(example('{ at: 1 }')), []);
    const [finding] = exampleFindings(example('{ at: noon }'));
    assert.match(finding ?? '', /an example does not match its schema: \{"at":"noon"\}/);
  });

  it('of a file must have lines that match their schemas', () => {
    assert.deepEqual(exampleFindings(file('{\\"at\\":1}\\n{\\"at\\":2}\\n')), []);
    const [finding] = exampleFindings(file('{\\"at\\":1}\\n{}\\n'));
    assert.match(finding ?? '', /an example does not match its schema: \{\}/);
  });
});
