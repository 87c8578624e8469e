import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue, Fault, type FaultCode } from '#base/fault.ts';
import { messagesError, openaiError } from './envelope.ts';

test('outside the Messages routes an error has message, type, param and code', () => {
  assert.deepEqual(openaiError(new Fault('model_not_found', { param: 'model', message: 'No.' })), {
    error: { message: 'No.', type: 'not_found_error', param: 'model', code: 'model_not_found' },
  });
  assert.equal(openaiError(new Fault('invalid_json')).error.param, null);
});

// Spec 7-40, 7-41, 7-43, 7-45, 7-46, 7-47, 7-48, 7-49, 7-50
test('on the Messages routes the type follows the status and the code stays the gateway’s', () => {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    405: 'invalid_request_error',
    408: 'timeout_error',
    409: 'conflict_error',
    410: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    501: 'api_error',
    502: 'api_error',
    503: 'overloaded_error',
  };
  for (const code of Object.keys(catalogue) as FaultCode[]) {
    const fault = new Fault(code);
    const body = messagesError(fault, 'request-1');
    assert.equal(body.error.type, types[fault.status], code);
    assert.equal(body.request_id, 'request-1');
  }
  assert.equal(messagesError(new Fault('missing_bid'), 'r').error.code, 'missing_bid');
});

test('a full queue is rate_limit_error in both bodies', () => {
  const fault = new Fault('queue_full');
  assert.equal(openaiError(fault).error.code, 'rate_limit_error');
  assert.equal(messagesError(fault, 'r').error.code, 'rate_limit_error');
});
