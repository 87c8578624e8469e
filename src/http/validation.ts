/** Says in a caller's words what a generated validator found wrong, with the code that the field's clients look for. */
import { Fault, type FaultCode } from '#base/fault.ts';
import type { ValidationError, Validator } from '#generated/validators.js';

/** Throws the first finding as a Fault that names the field. */
export function assertValid(validator: Validator<unknown>, body: unknown): void {
  if (validator(body)) return;
  const [error] = validator.errors ?? [];
  throw error ? faultOfError(error) : new Fault('invalid_request');
}

/** Fields whose bad values have a code of their own. Spec 7. */
const CODES: Readonly<Record<string, FaultCode>> = {
  max_tokens: 'invalid_output_cap',
  max_completion_tokens: 'invalid_output_cap',
  max_output_tokens: 'invalid_output_cap',
  price_limit: 'invalid_price_limit',
  max_price: 'invalid_price_limit',
  max_wait: 'invalid_max_wait',
  expires_after: 'invalid_max_wait',
};

function faultOfError({ instancePath, keyword, params, message }: ValidationError): Fault {
  const at = fieldOf(instancePath);
  if (keyword === 'required') return refusal(join(at, String(params.missingProperty)), 'is required');
  if (keyword === 'additionalProperties') {
    return refusal(join(at, String(params.additionalProperty)), 'is not a field of this request');
  }
  const code = CODES[at];
  if (code) return new Fault(code, { param: at });
  if (keyword === 'enum') return refusal(at, `must be one of ${JSON.stringify(params.allowedValues)}`);
  return refusal(at, message ?? 'is not valid');
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
