import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { operationsOf, readDocument } from './document.ts';

describe('a document that breaks a convention', () => {
  let sample = '';
  before(async () => {
    sample = await readFile(new URL('sample.yaml', import.meta.url), 'utf8');
  });

  const broken = (from: string, to: string) => () => operationsOf(readDocument(sample.replace(from, to)));

  it('is refused for two operations with one name', () => {
    assert.throws(broken('deleteThing', 'getThing'), /Two operations are called getThing/);
  });

  it('is refused for an operation without a limit class', () => {
    assert.throws(broken('x-limit-class: public', 'x-other: public'), /x-limit-class of getThing is missing/);
  });

  it('is refused for an operation with a key that does not say what its key must be allowed', () => {
    assert.throws(broken('x-scope: inference', 'x-other: inference'), /x-scope of createThing is missing/);
    assert.throws(broken('x-scope: change', 'x-other: change'), /x-scope of deleteThing is missing/);
  });

  it('is refused for an operation without a tag', () => {
    assert.throws(broken('tags: [Things]', 'tags: []'), /first tag of createThing is missing/);
  });

  it('is refused for a name that is not camelCase', () => {
    assert.throws(broken('operationId: getThing', 'operationId: get-thing'), /not a camelCase operationId/);
  });

  it('is refused for a stream whose events have no schema of their own', () => {
    assert.throws(
      broken("{ schema: { $ref: '#/components/schemas/ThingFrame' } }", '{ schema: { type: string } }'),
      /The reference to the schema of an event, 200 of createThing, is missing/,
    );
  });

  it('is refused for a range of statuses', () => {
    assert.throws(broken("'308'", '3XX'), /3XX of getThing: a status must be three digits/);
  });

  it('is refused for a broken reference', () => {
    assert.throws(broken('responses/Refused', 'responses/Lost'), /#\/components\/responses\/Lost is not an object/);
  });

  it('is refused when it is not an object', () => {
    assert.throws(() => readDocument('just text'), /openapi.yaml is not an object/);
  });
});
