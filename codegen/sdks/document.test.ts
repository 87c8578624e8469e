import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { clientDocument } from './document.ts';

const PATHS = `
openapi: 3.0.3
paths:
  /v1/things:
    post:
      operationId: createThing
      summary: A thing
      parameters: [{name: key, in: query}, {$ref: '#/components/parameters/DryRun'}]
      responses: {'200': {description: made}, '202': {description: accepted}, '203': {description: tried}, '400': {description: refused}}
    get:
      operationId: listThings
      responses: {'200': {description: all, content: {application/json: {}, text/event-stream: {}}}}
  /v1/catalog:
    get:
      operationId: getCatalog
      parameters: [{name: since, in: query}, {$ref: '#/components/parameters/Format'}]
      responses: {'200': {description: all, content: {application/json: {schema: {x-chooses-form: true, oneOf: [{type: object}, {type: array}]}}}}}
  /v1/things/stream:
    get:
      operationId: streamThings
      tags: [things]
      responses: {'200': {description: each, content: {text/event-stream: {schema: {$ref: '#/components/schemas/Event'}}}}}
components:
  schemas:
    Event: {oneOf: [{type: object}, {type: array}]}
  parameters:
    Format: {name: format, in: query, x-chooses-form: true}
    DryRun: {name: X-Dry-Run, in: header, required: false}
`;

describe('the document for client generators', () => {
  const paths = clientDocument(PATHS).paths as Record<string, Record<string, Record<string, object>>>;

  it('splits an operation with 200, 202 and 203 into three at the same address', () => {
    assert.deepEqual(Object.keys(paths['/v1/things']?.post?.responses ?? {}), ['200', '400']);
    const twin = paths['/v1/things#detached']?.post;
    assert.equal(twin?.operationId, 'createDetachedThing');
    assert.deepEqual(Object.keys(twin?.responses ?? {}), ['202', '400']);
    const dry = paths['/v1/things#dry-run']?.post;
    assert.equal(dry?.operationId, 'dryRunThing');
    assert.deepEqual(Object.keys(dry?.responses ?? {}), ['203', '400']);
  });

  it('asks for a dry run only where one is answered, and there always', () => {
    const parameters = (fragment: string) => paths[`/v1/things${fragment}`]?.post?.parameters;
    for (const fragment of ['', '#detached']) assert.deepEqual(parameters(fragment), [{ name: 'key', in: 'query' }]);
    assert.deepEqual(parameters('#dry-run'), [
      { name: 'key', in: 'query' },
      { name: 'X-Dry-Run', in: 'header', required: true },
    ]);
  });

  it('does not change other operations of such an address', () => {
    assert.deepEqual(Object.keys(paths['/v1/things'] ?? {}), ['post', 'get']);
    assert.deepEqual(Object.keys(paths['/v1/things#detached'] ?? {}), ['post']);
  });

  it('has operations that only stream in a group of their own, and what also streams where it was', () => {
    const { tags, 'x-event-stream': streams } = (paths['/v1/things/stream']?.get ?? {}) as Record<string, unknown>;
    assert.deepEqual([tags, streams], [['streams'], true]);
    assert.equal('x-event-stream' in (paths['/v1/things']?.get ?? {}), false);
  });

  it('has text for a stream, and no union of its events', () => {
    const { responses } = (paths['/v1/things/stream']?.get ?? {}) as { responses?: object };
    assert.deepEqual(responses, {
      '200': { description: 'each', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    });
    assert.doesNotMatch(JSON.stringify(clientDocument(PATHS).components), /Event/);
  });

  it('has the first form of a response, and no parameter that asks for another', () => {
    const { parameters, responses } = (paths['/v1/catalog']?.get ?? {}) as { parameters?: object; responses?: object };
    assert.deepEqual(parameters, [{ name: 'since', in: 'query' }]);
    assert.deepEqual(responses, {
      '200': { description: 'all', content: { 'application/json': { schema: { type: 'object' } } } },
    });
  });

  it('has every operation of the whole document', async () => {
    const whole = await readFile(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    const ids = (text: string) => [...text.matchAll(/operationId['"]?: ?['"]?(\w+)/g)].map((match) => match[1]);
    const made = ids(JSON.stringify(clientDocument(whole)));
    assert.deepEqual(
      ids(whole).filter((id) => !made.includes(id)),
      [],
    );
    assert.deepEqual(
      made.filter((id) => !ids(whole).includes(id)),
      [
        ...['createDetachedChatCompletion', 'dryRunChatCompletion', 'createDetachedCompletion', 'dryRunCompletion'],
        ...['dryRunResponse', 'dryRunMessage'],
      ],
    );
  });
});
