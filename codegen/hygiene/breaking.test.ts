import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readDocument } from '../document.ts';
import { breakingChanges } from './breaking.ts';
import { readSurface, surfaceOf, writeSurface } from './surface.ts';

const sample = readFileSync(new URL('../sample.yaml', import.meta.url), 'utf8');
const surface = (yaml: string) => surfaceOf(readDocument(yaml));

/** What breaks when `from` becomes `to` in the sample. */
function broken(from: string, to: string): string[] {
  assert.ok(sample.includes(from), from);
  return breakingChanges(surface(sample), surface(sample.replace(from, to))).map(({ sentence }) => sentence);
}

describe('a surface', () => {
  it('is the same after writing and reading it', () => {
    assert.deepEqual(readSurface(writeSurface(surface(sample))), surface(sample));
  });

  it('has a line for each operation, parameter, status, header, body and field', () => {
    const lines = writeSurface(surface(sample)).split('\n');
    for (const line of [
      'out getThing: GET /v1/things/{id} open',
      'in  getThing path id: string required',
      'out getThing 308: status',
      'out getThing 200 application/json: Thing required',
      'in  #ThingRequest /name: string required',
      'in  #ThingRequest /colour: string nullable [red, blue]',
    ]) {
      assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`);
    }
  });
});

describe('a change', () => {
  it('breaks nobody when it adds something optional', () => {
    assert.deepEqual(
      broken('name: { type: string, minLength: 1 }', 'name: { type: string }\n        mood: { type: string }'),
      [],
    );
    assert.deepEqual(broken('enum: [red, blue]', 'enum: [red, blue, green]'), []);
  });

  it('breaks nobody when a response has one more form, which a caller has to ask for', () => {
    const thing = "$ref: '#/components/schemas/Thing' } } }\n        '308'";
    const forms = (first: string, second: string) =>
      `x-chooses-form: true, oneOf: [{ $ref: '#/components/schemas/${first}' }, { $ref: '#/components/schemas/${second}' }] } } }\n        '308'`;
    assert.deepEqual(broken(thing, forms('Thing', 'Part')), []);
    assert.deepEqual(broken(thing, forms('Part', 'Thing')), [
      'out getThing 200 application/json was Thing and is Part.',
    ]);
  });

  it('breaks callers when an operation is removed, renamed or requires a key, and is reported once', () => {
    assert.deepEqual(broken('operationId: getThing', 'operationId: readThing'), ['out getThing is gone.']);
    const keyed = 'security: [{ bearer: [] }]\n      x-scope: read';
    assert.match(broken('security: []', keyed).join(), /getThing was .* open and is .* key\./);
  });

  it('breaks callers when a status or a field of a response is removed or has another type', () => {
    assert.deepEqual(broken("        '308': { description: It moved. }\n", ''), ['out getThing 308 is gone.']);
    const [retyped] = broken('size: { type: number', 'size: { type: string');
    assert.match(retyped ?? '', /#ThingRequest \/size was number and is string/);
  });

  it('breaks callers when a request must have more or may have less', () => {
    assert.deepEqual(broken('required: [name]', 'required: [name, size]'), [
      'in  #ThingRequest /size must be sent now.',
    ]);
    assert.deepEqual(broken('enum: [red, blue]', 'enum: [red]'), [
      'in  #ThingRequest /colour does not take blue any more.',
    ]);
    const added = broken(
      'name: { type: string, minLength: 1 }',
      'name: { type: string }\n        mood: { type: string }',
    ).length;
    assert.equal(added, 0);
    assert.deepEqual(
      broken(
        'required: [name]\n      properties:',
        'required: [name, mood]\n      properties:\n        mood: { type: string }',
      ),
      ['in  #ThingRequest /mood is new, and a request must have it.'],
    );
    assert.deepEqual(broken('colour: { type: string, nullable: true', 'colour: { type: string'), [
      'in  #ThingRequest /colour may not be null any more.',
    ]);
  });

  it('has as its subject the name that a changelog would use', () => {
    const now = surface(sample.replace('required: [name]', 'required: [name, size]'));
    assert.deepEqual(
      breakingChanges(surface(sample), now).map(({ subject }) => subject),
      ['ThingRequest'],
    );
  });
});
