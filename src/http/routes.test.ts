import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '#generated/operations.ts';
import { requestBodies } from '#generated/validators.js';
import { CachedRouter } from './routes.ts';

const router = new CachedRouter({ operations, requestBodies });

function find(method: string, path: string): { id: string | undefined; params: Record<string, string> } {
  const request = { method, path, headers: {} };
  const operation = router.matchOperation(request);
  return { id: operation.operationId, params: router.parseRequest(request, operation).params };
}

test('every operation of the table is found at its own method and path, and nothing else is', () => {
  for (const [id, { method, path }] of Object.entries(operations)) {
    assert.equal(find(method, path.replaceAll(/\{\w+\}/g, 'x')).id, id);
  }
  assert.equal(router.getOperations().length, Object.keys(operations).length);
});

test('a literal path comes before one with parameters', () => {
  assert.equal(find('post', '/v1/orders/price').id, 'repriceOrders');
  assert.throws(() => find('get', '/v1/orders/price'), /^Error: 405/);
  assert.deepEqual(find('get', '/v1/orders/prices'), { id: 'getOrder', params: { id: 'prices' } });
});

test('a parameter is one decoded segment', () => {
  assert.deepEqual(find('get', '/v1/models/org%2Fmodel%20x').params, { model: 'org/model x' });
  assert.deepEqual(find('post', '/v1/orders/abc/cancel').params, { id: 'abc' });
  assert.throws(() => find('get', '/v1/models/org/model'), /^Error: 404/);
});

test('one slash at the end is ignored, two are not, nor is a doubled one', () => {
  assert.equal(find('get', '/v1/models/').id, 'listModels');
  assert.deepEqual(find('get', '/v1/orders/abc/'), { id: 'getOrder', params: { id: 'abc' } });
  for (const path of ['/v1/models//', '//v1/models', '/v1//models', '', '/', '/V1/models']) {
    assert.throws(() => find('get', path), /^Error: 404/, path);
  }
});

test('a path that cannot be decoded matches nothing, and a dot is no wildcard', () => {
  for (const path of ['/v1/models/%', '/v1/models/%ff', '/openapiXjson']) {
    assert.throws(() => find('get', path), /^Error: 404/, path);
  }
});

test('HEAD finds what GET finds, unless it has an operation of its own', () => {
  assert.equal(find('head', '/v1/models').id, 'listModels');
  assert.equal(find('head', '/api/hello').id, 'headHello');
  assert.throws(() => find('head', '/v1/messages'), /^Error: 405/);
});

test('the methods of a path are listed once each', () => {
  assert.deepEqual(router.methodsAt('/v1/account'), ['GET', 'PATCH', 'HEAD']);
  assert.deepEqual(router.methodsAt('/api/hello'), ['GET', 'HEAD']);
  assert.deepEqual(router.methodsAt('/nothing'), []);
});
