import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { documents } from './documents.ts';
import { backendFiles } from './openapi-backend.ts';

describe('the bundle of openapi-backend', () => {
  it('loads no other module and carries its license', async () => {
    const code = (await backendFiles()).get('backend.js') ?? '';
    assert.ok(!/^import |[^\w]require\(/m.test(code));
    assert.match(code, /The MIT License \(MIT\)\n\nCopyright \(c\) \d+ Viljami Kuosmanen/);
  });

  for (const { name, folder } of documents)
    it(`leaves out a check at start that ${name} passes`, () => {
      const definition: Document = JSON.parse(readFileSync(`${folder}/openapi.json`, 'utf8'));
      const backend = new OpenAPIBackend({ definition, strict: true });
      backend.document = definition;
      assert.equal(backend.validateDefinition(), definition);
    });
});
