/**
 * Turns the errors of generated validators into Faults with a plain message and the code that clients expect for the
 * field. Every body is checked here once, of a request or of a batch line; code that reads it later trusts its type.
 */
import { Fault, type FaultCode } from '#base/fault.ts';
import type { ValidationError, Validator } from '#generated/validators.js';
import { tagsRule } from './fields.ts';

/** Throws the first error as a Fault that names the field. */
export function assertValid<Shape>(validator: Validator<Shape>, body: unknown): asserts body is Shape {
  if (!validator(body)) throw invalidBody(validator.errors ?? [], body);
}

/** The fault for the first of the errors that a validator found in `body`. */
export function invalidBody([error]: readonly ValidationError[], body: unknown): Fault {
  return error ? faultOfError(error, body) : new Fault('invalid_request');
}

/** Fields whose invalid values have a code of their own. Spec 7. */
const CODES: Readonly<Record<string, FaultCode>> = {
  max_tokens: 'invalid_output_cap',
  max_completion_tokens: 'invalid_output_cap',
  max_output_tokens: 'invalid_output_cap',
  price_limit: 'invalid_price_limit',
  max_price: 'invalid_price_limit',
  max_charge_usd: 'invalid_max_charge',
  max_wait: 'invalid_max_wait',
  expires_after: 'invalid_max_wait',
};

function faultOfError(error: ValidationError, body: unknown): Fault {
  const { instancePath, keyword, params } = error;
  const at = fieldOf(instancePath);
  if (keyword === 'required') return refusal(join(at, String(params.missingProperty)), 'is required');
  if (keyword === 'additionalProperties') {
    return refusal(join(at, String(params.additionalProperty)), 'is not a field of this request');
  }
  if (instancePath.split('/')[1] === 'tags')
    return new Fault('invalid_request', { param: 'tags', message: tagsRule('tags') });
  const code = CODES[at];
  // Null is an invalid price but a valid cap: it means that there is none. On Messages a cap is required.
  const isMissing = code === 'invalid_output_cap' && Reflect.get(Object(body), at) === null;
  return code && !isMissing ? new Fault(code, { param: at }) : refusal(at, complaintOf(error));
}

/** What messages say for the types of JSON Schema. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function complaintOf({ keyword, params, message = 'is not valid' }: ValidationError): string {
  const { limit } = params;
  switch (keyword) {
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'type':
      return params.type === undefined ? message : `must be ${typesText(String(params.type))}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    default:
      return message;
  }
}

/** `boolean,null` as `true or false, or null`. */
function typesText(names: string): string {
  const types = names.split(',').filter((name) => name !== 'null');
  const text = types.map((name) => TYPES[name] ?? name).join(' or ');
  return types.length === names.split(',').length ? text : `${text}, or null`;
}

function refusal(field: string, complaint: string): Fault {
  if (field === '') return new Fault('invalid_request', { message: `The body ${complaint}.` });
  return new Fault('invalid_request', { param: field, message: `${field} ${complaint}.` });
}

/** `/messages/0/role` as `messages[0].role`. */
function fieldOf(pointer: string): string {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')).reduce(join, '');
}

function join(path: string, key: string): string {
  if (path === '') return key;
  return /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
}
