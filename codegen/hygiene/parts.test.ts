import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { bundleOf } from '../bundle.ts';
import { readDocument } from '../document.ts';
import { unusedParts } from './parts.ts';

const ROOT = `
openapi: 3.0.3
info: { title: Sample, version: 1.0.0 }
paths:
  /v1/things: { $ref: parts/paths/things.yaml }
`;
const THINGS = `
get:
  operationId: getThings
  responses: { '200': { description: All, content: { application/json: { schema: { $ref: '../schemas.yaml#/Thing' } } } } }
`;
const SCHEMAS = `
Thing:
  type: object
  properties: { size: { $ref: '#/Size' }, colour: { x-takes: { $ref: '#/components/x-values/Colour' } } }
Size: { type: integer }
`;

describe('a document in parts', () => {
  let folder: string;
  const place = (name: string, text: string) => writeFile(join(folder, name), text);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-parts-'));
    await mkdir(join(folder, 'parts/paths'), { recursive: true });
    await place('openapi.yaml', ROOT);
    await place('parts/paths/things.yaml', THINGS);
  });
  after(() => rm(folder, { recursive: true }));

  const bundled = () => bundleOf(join(folder, 'openapi.yaml'));

  it('is bundled: operations where they are named, the rest under components by name', async () => {
    await place('parts/schemas.yaml', SCHEMAS);
    const { paths, components } = JSON.parse((await bundled()).json);
    const { schema } = paths['/v1/things'].get.responses['200'].content['application/json'];
    assert.deepEqual(schema, { $ref: '#/components/schemas/Thing' });
    assert.deepEqual(components.schemas.Thing.properties.size, { $ref: '#/components/schemas/Size' });
    assert.deepEqual(components.schemas.Size, { type: 'integer' });
  });

  it('keeps what x-takes refers to as it is', async () => {
    await place('parts/schemas.yaml', SCHEMAS);
    const { colour } = JSON.parse((await bundled()).json).components.schemas.Thing.properties;
    assert.deepEqual(colour, { 'x-takes': { $ref: '#/components/x-values/Colour' } });
  });

  it('is refused when a part is missing', async () => {
    await place('parts/schemas.yaml', 'Size: { type: integer }');
    await assert.rejects(bundled(), /things\.yaml: Can't resolve \$ref/);
  });

  it('must use every file, and every component of a file', async () => {
    await place('parts/schemas.yaml', `${SCHEMAS}Spare: { type: string }\n`);
    await place('parts/more.yaml', 'More: { type: string }');
    const { json, files } = await bundled();
    assert.deepEqual(unusedParts(join(folder, 'parts'), files, readDocument(json)).sort(), [
      'openapi/more.yaml is not part of the document.',
      'openapi/schemas.yaml: nothing refers to Spare.',
    ]);
  });
});
