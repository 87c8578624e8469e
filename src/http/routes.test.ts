import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '#generated/operations.ts';
import { requestBodies } from '#generated/validators.js';
import { Router } from './contract.ts';

const router = new Router({ operations, requestBodies });

/** What is found, and what is noted in the call. */
function find(method: string, path: string) {
  const call = { request: { method }, path, operationId: null, params: {} };
  const { operationId } = router.matchOperation(call);
  assert.equal(call.operationId, operationId);
  return { operationId, params: call.params };
}

function assertNotFound(method: string, path: string): void {
  assert.throws(() => find(method, path), /^Error: 404-notFound$/, path);
}

function assertNotAllowed(method: string, path: string): void {
  assert.throws(() => find(method, path), /^Error: 405-methodNotAllowed$/, path);
}

test('every operation of the table is found at its own method and path, and nothing else is', () => {
  for (const [id, { method, path }] of Object.entries(operations)) {
    const one = path.replaceAll(/\{\w+\}/g, 'x');
    assert.equal(find(method, one).operationId, id);
    assertNotAllowed('trace', one);
  }
});

test('a literal path comes before one with parameters', () => {
  assert.equal(find('post', '/v1/orders/price').operationId, 'repriceOrders');
  assertNotAllowed('get', '/v1/orders/price');
  assert.deepEqual(find('get', '/v1/orders/prices'), { operationId: 'getOrder', params: { id: 'prices' } });
});

test('a parameter is one decoded segment', () => {
  assert.deepEqual(find('get', '/v1/models/org%2Fmodel%20x').params, { model: 'org/model x' });
  assert.deepEqual(find('post', '/v1/orders/abc/cancel').params, { id: 'abc' });
  assertNotFound('get', '/v1/models/org/model');
});

test('one slash at the end is ignored, two are not, nor is a doubled one', () => {
  assert.equal(find('get', '/v1/models/').operationId, 'listModels');
  assert.deepEqual(find('get', '/v1/orders/abc/'), { operationId: 'getOrder', params: { id: 'abc' } });
  for (const path of ['/v1/models//', '//v1/models', '/v1//models', '', '/', '/V1/models']) {
    assertNotFound('get', path);
  }
});

test('a path that cannot be decoded matches nothing, and a dot is no wildcard', () => {
  for (const path of ['/v1/models/%', '/v1/models/%ff', '/openapiXjson']) {
    assertNotFound('get', path);
  }
});

test('HEAD finds what GET finds, unless it has an operation of its own', () => {
  assert.equal(find('head', '/v1/models').operationId, 'listModels');
  assert.equal(find('head', '/api/hello').operationId, 'headHello');
  assertNotAllowed('head', '/v1/messages');
});

test('the methods of a path are listed once each', () => {
  assert.deepEqual(router.methodsAt('/v1/account'), ['GET', 'PATCH', 'HEAD']);
  assert.deepEqual(router.methodsAt('/api/hello'), ['GET', 'HEAD']);
  assert.deepEqual(router.methodsAt('/nothing'), []);
});
