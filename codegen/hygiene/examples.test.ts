import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDocument } from '../document.ts';
import { exampleFindings } from './examples.ts';

/** A document of one stream, with this media type object. */
const streaming = (media: string) =>
  readDocument(`
security: [{ key: [] }]
paths:
  /v1/ticks:
    get:
      operationId: getTicks
      tags: [Ticks]
      x-limit-class: public
      responses:
        '200': { description: Ticks, content: { text/event-stream: { ${media} } } }
components:
  schemas:
    Tick: { type: object, required: [at], properties: { at: { type: number } } }
`);
const TICKS = "schema: { type: string }, x-frame-schema: '#/components/schemas/Tick'";

describe('an example', () => {
  it('is required for every body', () => {
    assert.deepEqual(exampleFindings(streaming(TICKS)), ['getTicks 200 text/event-stream has no example.']);
  });

  it('of a stream must have frames that match its schema', () => {
    const example = (text: string) => streaming(`${TICKS}, examples: { some: { value: "${text}" } }`);
    assert.deepEqual(exampleFindings(example('data: {\\"at\\":1}\\n\\ndata: [DONE]\\n\\n')), []);
    const [finding] = exampleFindings(example('data: {\\"at\\":\\"noon\\"}\\n\\n'));
    assert.match(finding ?? '', /an example does not match #\/components\/schemas\/Tick: \{"at":"noon"\}/);
  });
});
