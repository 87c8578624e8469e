import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '#generated/operations.ts';
import { type Route, Router } from './routes.ts';

const router = new Router({ operations });

function find(method: string, path: string): Route {
  const route = router.match(method, path);
  assert.ok(route, `${method} ${path}`);
  return route;
}

test('every operation of the table is found at its own method and path, and nothing else is', () => {
  for (const [id, { method, path }] of Object.entries(operations)) {
    const one = path.replaceAll(/\{\w+\}/g, 'x');
    assert.equal(find(method, one).operationId, id);
    assert.equal(router.match('trace', one), null);
  }
});

test('a literal path comes before one with parameters', () => {
  assert.equal(find('post', '/v1/orders/price').operationId, 'repriceOrders');
  assert.equal(router.match('get', '/v1/orders/price'), null);
  assert.deepEqual(find('get', '/v1/orders/prices'), { operationId: 'getOrder', params: { id: 'prices' } });
});

test('a parameter is one decoded segment', () => {
  assert.deepEqual(find('get', '/v1/models/org%2Fmodel%20x').params, { model: 'org/model x' });
  assert.deepEqual(find('post', '/v1/orders/abc/cancel').params, { id: 'abc' });
  assert.equal(router.match('get', '/v1/models/org/model'), null);
});

test('one slash at the end is ignored, two are not, nor is a doubled one', () => {
  assert.equal(find('get', '/v1/models/').operationId, 'listModels');
  assert.deepEqual(find('get', '/v1/orders/abc/'), { operationId: 'getOrder', params: { id: 'abc' } });
  for (const path of ['/v1/models//', '//v1/models', '/v1//models', '', '/', '/V1/models']) {
    assert.equal(router.match('get', path), null, path);
  }
});

test('a path that cannot be decoded matches nothing, and a dot is no wildcard', () => {
  for (const path of ['/v1/models/%', '/v1/models/%ff', '/openapiXjson']) {
    assert.equal(router.match('get', path), null, path);
  }
});

test('HEAD finds what GET finds, unless it has an operation of its own', () => {
  assert.equal(find('head', '/v1/models').operationId, 'listModels');
  assert.equal(find('head', '/api/hello').operationId, 'headHello');
  assert.equal(router.match('head', '/v1/messages'), null);
});

test('the methods of a path are listed once each', () => {
  assert.deepEqual(router.methodsAt('/v1/account'), ['GET', 'PATCH', 'HEAD']);
  assert.deepEqual(router.methodsAt('/api/hello'), ['GET', 'HEAD']);
  assert.deepEqual(router.methodsAt('/nothing'), []);
});
