import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ownVersion } from './own-version.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the newest dated section of the changelog and the Helm chart name the version of package.json', () => {
  const released = /^## (\S+) - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md'))?.[1];
  const chart = /^appVersion: (\S+)$/m.exec(read('deploy/helm/sluice/Chart.yaml'))?.[1];
  assert.deepEqual([released, chart], [ownVersion(), ownVersion()]);
});
