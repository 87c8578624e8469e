import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSurface } from '../hygiene/surface.ts';
import { changelogOf } from './changelog.ts';

const RELEASED = readSurface('out getThing: GET /v1/things key\nout #Thing /name: string required\n');

describe('the changelog of a client', () => {
  it('lists what breaks callers and what is new, a new operation without its parts', () => {
    const now = 'out getThing: GET /v1/things key\nout makeThing: POST /v1/things key\nout makeThing 200: status\n';
    assert.equal(
      changelogOf('2.0.0', RELEASED, readSurface(now)),
      '# Changelog\n\n## 2.0.0\n\n### Breaking\n\n- Thing /name is gone.\n\n### Added\n\n- makeThing\n',
    );
  });

  it('says so when nothing changed', () => {
    assert.match(changelogOf('1.0.1', RELEASED, RELEASED), /## 1\.0\.1\n\nThe interface is that of the last released/);
  });
});
