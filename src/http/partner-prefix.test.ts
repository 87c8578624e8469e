import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operations } from '#generated/operations.ts';
import { describedAt, withPartnerPrefix } from './contract.ts';

const document = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8');

test('only the partner catalog moves below the prefix', () => {
  const moved = withPartnerPrefix(operations, '/for/them');
  assert.equal(moved.getPartnerCatalog?.path, '/for/them/v1/models');
  assert.deepEqual({ ...moved, getPartnerCatalog: null }, { ...operations, getPartnerCatalog: null });
  assert.deepEqual(withPartnerPrefix(operations, '/partner'), operations);
});

test('the interface document names the prefix in use', () => {
  assert.equal(describedAt(document, '/partner'), document);
  const before = JSON.parse(document).paths;
  const after = JSON.parse(describedAt(document, '/for/them')).paths;
  const { '/for/them/v1/models': there, ...others } = after;
  const { '/partner/v1/models': here, ...same } = before;
  assert.equal(there.get.operationId, here.get.operationId);
  assert.deepEqual(others, same);
  assert.ok(!JSON.stringify(after).includes('/partner'));
});
