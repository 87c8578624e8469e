import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleOf } from '../bundle.ts';
import { spectralFindings } from './spectral.ts';

describe('the rules of Spectral', () => {
  let json: string;
  before(async () => {
    ({ json } = await bundleOf(fileURLToPath(new URL('../../openapi.yaml', import.meta.url))));
  });

  /** The findings when `from` becomes `to` in the document. */
  async function found(from: string, to: string): Promise<string> {
    assert.ok(json.includes(from), from);
    return (await spectralFindings(json.replace(from, to))).join('\n');
  }

  it('find an unused component', async () => {
    const planted = '"schemas":{"Leftover":{"type":"object"},';
    assert.match(await found('"schemas":{', planted), /^#\/components\/schemas\/Leftover: .*oas3-unused-component/);
  });

  it('find an example that does not match its schema', async () => {
    assert.match(
      await found('"value":{"input_tokens":17}', '"value":{"input_tokens":"many"}'),
      /oas3-valid-media-example/,
    );
  });
});
