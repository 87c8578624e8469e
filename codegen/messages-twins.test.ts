import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { withMessagesTwins } from './messages-twins.ts';

const DOCUMENT = `
components:
  headers:
    MessagesRequestId: { example: request-1 }
  responses:
    Gone:
      description: 410 \`result_unavailable\`. It was not kept.
      headers: { x-request-id: { $ref: '#/components/headers/RequestId' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/ErrorEnvelope' }
          examples: { gone: { $ref: '#/components/examples/ErrorGone' } }
    MessagesGone: { x-messages-twin: { of: Gone, type: not_found_error } }
    MessagesLost:
      x-messages-twin: { of: Gone, type: not_found_error }
      description: Lost.
      content: { application/json: { examples: { refusal: { $ref: '#/components/examples/Lost' } } } }
  examples:
    ErrorGone:
      summary: result_unavailable
      value: { error: { message: Gone., type: gone_error, param: null, code: result_unavailable } }
`;

interface Made {
  readonly components: Record<'responses' | 'examples', Record<string, Record<string, unknown>>>;
}

describe('the twin of a response on the Messages routes', () => {
  const { components } = withMessagesTwins(parse(DOCUMENT)) as unknown as Made;
  const contentWith = (example: string) => ({
    'application/json': {
      schema: { $ref: '#/components/schemas/MessagesErrorEnvelope' },
      examples: { refusal: { $ref: `#/components/examples/${example}` } },
    },
  });

  it('has one more header, the description with another type, and the example in the Messages envelope', () => {
    assert.deepEqual(components.responses.MessagesGone, {
      description: '410 `not_found_error`. It was not kept.',
      headers: {
        'x-request-id': { $ref: '#/components/headers/RequestId' },
        'request-id': { $ref: '#/components/headers/MessagesRequestId' },
      },
      content: contentWith('MessagesErrorGone'),
    });
    assert.deepEqual(components.examples.MessagesErrorGone, {
      summary: 'result_unavailable',
      value: {
        type: 'error',
        error: { type: 'not_found_error', message: 'Gone.', code: 'result_unavailable' },
        request_id: 'request-1',
      },
    });
  });

  it('keeps a description and an example of its own', () => {
    const { description, content } = components.responses.MessagesLost ?? {};
    assert.deepEqual({ description, content }, { description: 'Lost.', content: contentWith('Lost') });
  });

  it('does not change the other response', () => {
    assert.deepEqual(components.responses.Gone, parse(DOCUMENT).components.responses.Gone);
  });

  it('is refused when the other response does not exist', () => {
    assert.throws(() => withMessagesTwins(parse(DOCUMENT.replaceAll('of: Gone', 'of: Nobody'))), /responses\/Nobody/);
  });
});
