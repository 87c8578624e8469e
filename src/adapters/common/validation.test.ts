import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { ValidationError, Validator } from '#generated/validators.js';
import { assertValid } from './validation.ts';

function refusing(error: Partial<ValidationError>): Validator<unknown> {
  const plain = { instancePath: '', schemaPath: '', keyword: 'type', params: {} };
  return Object.assign((_value: unknown): _value is unknown => false, { errors: [{ ...plain, ...error }] });
}

function faultFor(error: Partial<ValidationError>, body: unknown = {}): [string, string | null, string] {
  try {
    assertValid(refusing(error), body);
  } catch (thrown) {
    assert.ok(thrown instanceof Fault);
    return [thrown.code, thrown.param, thrown.message];
  }
  assert.fail('it passed');
}

test('a valid body passes', () => {
  const anything = Object.assign((_value: unknown): _value is unknown => true, { errors: null });
  assertValid(anything, {});
});

test('the field is named as in code', () => {
  const at = { instancePath: '/messages/0/tool_calls/12/a~1b', params: { type: 'string' } };
  const field = 'messages[0].tool_calls[12].a/b';
  assert.deepEqual(faultFor(at), ['invalid_request', field, `${field} must be a string.`]);
});

test('a missing and an unknown field are named themselves', () => {
  const missing = { keyword: 'required', params: { missingProperty: 'role' }, instancePath: '/messages/1' };
  assert.deepEqual(faultFor(missing), ['invalid_request', 'messages[1].role', 'messages[1].role is required.']);
  const unknown = { keyword: 'additionalProperties', params: { additionalProperty: 'storage' } };
  assert.deepEqual(faultFor(unknown), ['invalid_request', 'storage', 'storage is not a field of this request.']);
});

test('an invalid choice is refused with the allowed values', () => {
  const choice = { keyword: 'enum', params: { allowedValues: ['24h'] }, instancePath: '/completion_window' };
  assert.equal(faultFor(choice)[2], 'completion_window must be one of ["24h"].');
});

test('an invalid type, number, length or count is refused in plain words', () => {
  const complaints = [
    [{ keyword: 'type', params: { type: 'boolean,null' } }, 'must be true or false, or null'],
    [{ keyword: 'type', params: { type: ['integer'] } }, 'must be a whole number'],
    [{ keyword: 'minimum', params: { limit: 0 } }, 'must be at least 0'],
    [{ keyword: 'maximum', params: { limit: 2 } }, 'must be at most 2'],
    [{ keyword: 'minItems', params: { limit: 1 } }, 'must not be empty'],
    [{ keyword: 'minItems', params: { limit: 2 } }, 'must have at least 2 items'],
    [{ keyword: 'maxItems', params: { limit: 500 } }, 'must have at most 500 items'],
    [{ keyword: 'minLength', params: { limit: 1 } }, 'must not be empty'],
    [{ keyword: 'minLength', params: { limit: 3 } }, 'must have at least 3 characters'],
    [{ keyword: 'maxLength', params: { limit: 64 } }, 'must have at most 64 characters'],
    [{ keyword: 'pattern', params: {}, message: 'must match the pattern' }, 'must match the pattern'],
  ] as const;
  for (const [error, complaint] of complaints)
    assert.equal(faultFor({ ...error, instancePath: '/field' })[2], `field ${complaint}.`);
});

test('caps, price limits and waits have codes of their own', () => {
  const codeOf = (field: string) => faultFor({ instancePath: `/${field}` })[0];
  assert.equal(codeOf('max_tokens'), 'invalid_output_cap');
  assert.equal(codeOf('price_limit'), 'invalid_price_limit');
  assert.equal(codeOf('max_wait'), 'invalid_max_wait');
  assert.equal(faultFor({ keyword: 'required', params: { missingProperty: 'max_tokens' } })[0], 'invalid_request');
});

test('null for a required value has no code of its own', () => {
  const error = { instancePath: '/max_tokens', params: { type: 'integer' } };
  const sentence = 'max_tokens must be a whole number.';
  assert.deepEqual(faultFor(error, { max_tokens: null }), ['invalid_request', 'max_tokens', sentence]);
  assert.equal(faultFor(error, { max_tokens: '5' })[0], 'invalid_output_cap');
});

test('an error of a body that is not an object names the body', () => {
  assert.deepEqual(faultFor({ params: { type: 'object' } }), ['invalid_request', null, 'The body must be an object.']);
});
