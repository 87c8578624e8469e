import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { clientDocument, FIXED } from './document.ts';
import { STATES, UNIONS } from './document-types.ts';
import { type Language, languages } from './toolchains.ts';

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
  /v1/things/{id}:
    get:
      operationId: getThing
      parameters: [{name: id, in: path}, {name: stream, in: query}, {name: starting_after, in: query}, {name: Last-Event-ID, in: header}]
      responses: {'200': {description: one, content: {application/json: {}, text/event-stream: {}}}}
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
    ThingRequest: {type: object, properties: {name: {type: string}, stream: {type: boolean}, detached: {type: boolean}}}
  parameters:
    Format: {name: format, in: query, x-chooses-form: true}
    DryRun: {name: X-Dry-Run, in: header, required: false}
`;

describe('the document for client generators', () => {
  const paths = clientDocument(PATHS, 'go').paths as Record<string, Record<string, Record<string, object>>>;

  it('splits an operation with 200, 202 and 203 into three at the same address', () => {
    assert.deepEqual(Object.keys(paths['/v1/things']?.post?.responses ?? {}), ['200', '400']);
    const twin = paths['/v1/things#detached']?.post;
    assert.equal(twin?.operationId, 'createDetachedThing');
    assert.deepEqual(Object.keys(twin?.responses ?? {}), ['202', '400']);
    const dry = paths['/v1/things#dry-run']?.post;
    assert.equal(dry?.operationId, 'dryRunThing');
    assert.deepEqual(Object.keys(dry?.responses ?? {}), ['203', '400']);
  });

  it('has no parameter that asks for another answer: the fragment of the address says what the client sends', () => {
    assert.deepEqual(Object.keys(FIXED), ['#dry-run', '#detached']);
    for (const fragment of ['', ...Object.keys(FIXED)])
      assert.deepEqual(paths[`/v1/things${fragment}`]?.post?.parameters, [{ name: 'key', in: 'query' }]);
    assert.deepEqual(paths['/v1/things/{id}']?.get?.parameters, [{ name: 'id', in: 'path' }]);
  });

  it('has no field that asks for another answer', () => {
    const schemas = (clientDocument(PATHS, 'go').components as { schemas: Record<string, { properties: object }> })
      .schemas;
    assert.deepEqual(Object.keys(schemas.ThingRequest?.properties ?? {}), ['name']);
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
    assert.doesNotMatch(JSON.stringify(clientDocument(PATHS, 'go').components), /Event/);
  });

  it('has the first form of a response, and no parameter that asks for another', () => {
    const { parameters, responses } = (paths['/v1/catalog']?.get ?? {}) as { parameters?: object; responses?: object };
    assert.deepEqual(parameters, [{ name: 'since', in: 'query' }]);
    assert.deepEqual(responses, {
      '200': { description: 'all', content: { 'application/json': { schema: { type: 'object' } } } },
    });
  });

  it('has every operation of the whole document that does not only redirect', async () => {
    const whole = await readFile(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    const ids = (text: string) => [...text.matchAll(/operationId['"]?: ?['"]?(\w+)/g)].map((match) => match[1]);
    const made = ids(JSON.stringify(clientDocument(whole, 'typescript')));
    assert.deepEqual(
      ids(whole).filter((id) => !made.includes(id)),
      ['redirectLimits'],
    );
    assert.deepEqual(
      made.filter((id) => !ids(whole).includes(id)),
      [
        ...['createDetachedChatCompletion', 'dryRunChatCompletion', 'createDetachedCompletion', 'dryRunCompletion'],
        ...['dryRunResponse', 'dryRunMessage'],
      ],
    );
  });

  it('asks nobody for the answer of another operation, in any language', async () => {
    const whole = await readFile(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    for (const language of languages) {
      const { components } = clientDocument(whole, language) as unknown as Typed;
      for (const name of ['ChatCompletionRequest', 'CompletionRequest', 'ResponseRequest', 'MessageRequest'])
        for (const field of ['stream', 'stream_options', 'detached'])
          assert.ok(!(field in (components.schemas[name]?.properties ?? {})), `${language} has ${name}.${field}`);
    }
  });
});

describe('the types for client generators', () => {
  const typed = async (language: Language) => {
    const whole = await readFile(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    const { components } = clientDocument(whole, language) as unknown as Typed;
    const field = (schema: string, name: string) => components.schemas[schema]?.properties?.[name];
    return { components, field };
  };

  it('have times as times and lists as lists', async () => {
    for (const language of languages) {
      const { components, field } = await typed(language);
      assert.equal(field('Order', 'created_at')?.format, 'date-time');
      assert.deepEqual(components.parameters.From?.schema, { type: 'string', format: 'date-time' });
      const { explode, schema } = components.parameters.OrderStatus ?? {};
      assert.deepEqual([explode, schema?.type], [false, 'array']);
      assert.equal(components.parameters.CandleBucket?.schema.type, 'integer');
    }
  });

  it('have exact money, and numbers for shares and settings', async () => {
    const money = { allOf: [{ $ref: '#/components/schemas/Money' }] };
    const { components, field } = await typed('typescript');
    for (const [schema, name] of [
      ['Order', 'bid'],
      ['Receipt', 'charged_usd'],
      ['TokenPrices', 'output'],
    ] as const)
      assert.deepEqual(field(schema, name)?.allOf, money.allOf, `${schema}.${name}`);
    assert.deepEqual(field('ChatCompletionRequest', 'price_limit')?.allOf, money.allOf);
    assert.equal(field('ChatCompletionRequest', 'temperature')?.type, 'number');
    assert.equal(field('PricingRatio', 'output')?.type, 'number');
    assert.ok(!('PriceLimit' in components.schemas));
    for (const language of ['python', 'go', 'java'] as const) {
      const { components, field } = await typed(language);
      assert.equal(field('Order', 'bid')?.format, 'number');
      const parts = JSON.stringify([field('Account', 'default_price_limit'), field('MarketSummaryRow', 'sparkline')]);
      assert.equal(parts.match(/"format":"number"/g)?.length, 2, parts);
      for (const name of ['XPriceLimit', 'XMaxPrice', 'XMaxChargeUsd'])
        assert.deepEqual(components.parameters[name]?.schema, { type: 'string', format: 'number' }, name);
    }
  });

  it('have unions and states in TypeScript, and the plain type in the others', async () => {
    const { field, components } = await typed('typescript');
    const named = (schema: string, name: string) => field(schema, name)?.allOf?.[0]?.$ref.split('/').at(-1);
    const expected = {
      content: 'ChatContent',
      status: 'OrderStatus',
      tool_choice: 'ChatToolChoice',
      deadline: 'Deadline',
    };
    assert.deepEqual(
      [named('ChatMessage', 'content'), named('Order', 'status'), named('ChatCompletionRequest', 'tool_choice')],
      [expected.content, expected.status, expected.tool_choice],
    );
    assert.equal(named('BatchRequest', 'deadline'), expected.deadline);
    assert.ok(components.schemas.OrderStatus?.enum?.includes('expired'));
    assert.equal((await typed('java')).field('Order', 'status')?.type, 'string');
  });

  it('have every field that the tables name', async () => {
    const { components } = await typed('python');
    const tables = [...Object.values(UNIONS).flat(), ...Object.values(STATES).flatMap(({ fields }) => fields)];
    for (const place of tables) {
      const [schema = '', name = ''] = place.replace('[]', '').split('.');
      assert.ok(components.schemas[schema]?.properties?.[name], `There is no ${place}.`);
    }
  });
});

interface Field {
  readonly type?: string;
  readonly format?: string;
  readonly allOf?: readonly { readonly $ref: string }[];
}

interface Typed {
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, Field>>; readonly enum?: string[] }>
    >;
    readonly parameters: Readonly<
      Record<string, { readonly explode?: boolean; readonly schema: { readonly type: string } }>
    >;
  };
}
