import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { driftedFiles, type Places, writeArtifacts } from './generate.ts';

type Check = ((value: unknown) => boolean) & { errors?: { instancePath: string; message: string }[] | null };

const ID = '0199aaaa-0000-7000-8000-000000000000';

describe('the generator', () => {
  let places: Places;
  let requests: Record<string, Check>;
  let responses: Record<string, Check>;
  let frames: Record<string, Check>;

  before(async () => {
    // Inside the project, because the generated modules import the runtime of ajv.
    await mkdir(new URL('../data', import.meta.url), { recursive: true });
    const folder = await mkdtemp(fileURLToPath(new URL('../data/codegen-test-', import.meta.url)));
    places = { document: fileURLToPath(new URL('sample.yaml', import.meta.url)), folder };
    await writeArtifacts(places);
    requests = (await import(`${folder}/validators.js`)).requestBodies;
    ({ responseBodies: responses, streamFrames: frames } = await import(`${folder}/response-validators.js`));
  });
  after(() => rm(places.folder, { recursive: true }));

  const check = (table: Record<string, Check>, key: string, value: unknown) => {
    const validator = table[key];
    assert.ok(validator, key);
    return validator(value) ? null : (validator.errors?.[0]?.instancePath ?? 'no error');
  };

  it('writes its name and the hash of the document in the first line of every file', async () => {
    for (const name of ['types.ts', 'operations.ts', 'validators.js', 'response-validators.d.ts', 'openapi.json']) {
      const [first] = (await readFile(`${places.folder}/${name}`, 'utf8')).split('\n');
      assert.match(first ?? '', /Written by codegen\/generate\.ts from openapi\.yaml \(sha256 [0-9a-f]{64}\)/, name);
    }
  });

  it('reports files that differ from the document, are missing or do not belong there', async () => {
    assert.deepEqual(await driftedFiles(places), []);
    await appendFile(`${places.folder}/operations.ts`, '// edited by hand\n');
    await rm(`${places.folder}/types.ts`);
    await writeFile(`${places.folder}/left-over.ts`, '');
    assert.deepEqual(await driftedFiles(places), ['types.ts', 'operations.ts', 'left-over.ts']);
    await writeArtifacts(places);
    assert.deepEqual(await driftedFiles(places), []);
  });

  it('lists operations with what the server needs to know before their handlers run', async () => {
    const { operations } = await import(`${places.folder}/operations.ts`);
    assert.deepEqual(operations.createThing, {
      method: 'post',
      path: '/v1/things',
      tag: 'Things',
      security: 'key-or-header',
      limitClass: 'inference',
      scope: 'inference',
      statuses: [200, 400],
      body: 'json',
      streams: true,
    });
    assert.equal(operations.getThing.security, 'open');
    assert.equal(operations.getThing.scope, undefined);
    assert.equal(operations.deleteThing.security, 'key');
    assert.equal(operations.deleteThing.body, null);
  });

  it('makes readers of query parameters, whose bounds are in the schema', async () => {
    const { queries } = await import(`${places.folder}/queries.ts`);
    const { limit, parts, order } = queries.getThing({ limit: '10', parts: 'b,a' });
    assert.deepEqual([limit, [...parts], order], [9, ['b', 'a'], 'up']);
    assert.throws(() => queries.getThing({ parts: 'c' }).parts, { param: 'parts' });
    assert.equal(queries.createThing, undefined);
  });

  it('says in the description and in a pattern how a parameter is read', async () => {
    const { components } = JSON.parse(await readFile(`${places.folder}/openapi.json`, 'utf8'));
    const { Limit, Parts } = components.parameters;
    assert.equal(
      Limit.description,
      'Parts of the thing. 5 by default. More than 9 becomes 9; less than 1 or a fraction is 400.',
    );
    assert.equal(Parts.description, 'Which parts. Comma-separated: a and b.');
    assert.equal(Parts.schema.pattern, '^((a|b)(,(a|b))*)?$');
  });

  it('closes objects that may have more fields, so that a misspelt one is found', async () => {
    assert.doesNotMatch(await readFile(`${places.folder}/types.ts`, 'utf8'), /} & \{\s*readonly \[key/);
  });

  it('types a field without a type by its x-takes', async () => {
    const types = await readFile(`${places.folder}/types.ts`, 'utf8');
    assert.match(types, /readonly stop\?: components\["schemas"\]\["ValueStop"\];/);
    assert.match(types, /readonly ValueStop: string \| readonly string\[\];/);
  });

  it('accepts a valid request body, also with unknown fields', () => {
    assert.equal(check(requests, 'createThing', { name: 'a', size: 2, anything: [1], extra: true }), null);
  });

  it('refuses an invalid body and points at the field', () => {
    assert.equal(check(requests, 'createThing', { name: 5 }), '/name');
    assert.equal(check(requests, 'createThing', { name: '' }), '/name');
    assert.equal(check(requests, 'createThing', { name: 'a', part: { at: 'yesterday' } }), '/part/at');
    assert.equal(check(requests, 'createThing', []), '');
  });

  it('adds null for nullable to a type, an enumeration and a reference', () => {
    assert.equal(check(requests, 'createThing', { name: 'a', size: null, colour: null, part: null }), null);
    assert.equal(check(requests, 'createThing', { name: null }), '/name');
    assert.equal(check(requests, 'createThing', { name: 'a', colour: 'green' }), '/colour');
  });

  it('leaves to the code what is checked where it is read', async () => {
    assert.equal(check(requests, 'createThing', { name: 'a', choice: { kind: 'third' } }), null);
    assert.equal(check(requests, 'createThing', { name: 'a', choice: 'one' }), '/choice');
    assert.doesNotMatch(await readFile(`${places.folder}/types.ts`, 'utf8'), /kind/);
  });

  it('converts a boolean exclusive bound to JSON Schema', () => {
    assert.equal(check(requests, 'createThing', { name: 'a', size: 0 }), '/size');
  });

  it('checks responses by operation and status, and frames by operation', () => {
    assert.equal(check(responses, 'getThing 200', { id: ID, part: null }), null);
    assert.equal(check(responses, 'getThing 200', { id: 'x', part: null }), '/id');
    assert.equal(check(responses, 'createThing 400', { error: 'no' }), '/error');
    assert.equal(responses['getThing 308'], undefined);
    assert.equal(check(frames, 'createThing', { delta: 'a' }), null);
    assert.equal(check(frames, 'createThing', { delta: 1 }), '/delta');
  });

  it('keeps response validators out of the module that a running gateway loads', async () => {
    const text = await readFile(`${places.folder}/validators.js`, 'utf8');
    assert.doesNotMatch(text, /ErrorBody|ThingFrame/);
  });
});
