/**
 * Addresses, and the answers that belong to no operation: an unknown address, a method that an address does not
 * support, the preflight of a browser, the reference at /docs, and the pages at / with their files below /assets.
 * openapi.yaml describes all but the pages in `info`.
 */
import { operations as documented, type OperationId } from '#generated/operations.ts';
import { responseBodies } from '#generated/response-validators.js';
import { type Contract, isMessagesPath } from '#http/contract.ts';
import type { RawAnswer } from './raw-answer.ts';

type Operations = Contract['operations'];

/** The operation at an address; null when there is none. HEAD belongs to the operation of GET. */
export function operationAt(operations: Operations, method: string, path: string): OperationId | null {
  const at = (wanted: string) =>
    Object.entries(operations).find(([, entry]) => entry.method === wanted && matches(entry.path, path))?.[0];
  const name = at(method.toLowerCase()) ?? (method === 'HEAD' ? at('get') : undefined);
  return name !== undefined && isOperation(name) ? name : null;
}

/** What is wrong with an answer where there is no operation, in one sentence; null when nothing is. */
export function problemWithNoOperation(
  operations: Operations,
  method: string,
  path: string,
  { status, headers, text }: RawAnswer,
): string | null {
  if (/^\/(docs(\/|$)|assets\/|$)/.test(path) && ['GET', 'HEAD'].includes(method) && [200, 304].includes(status))
    return null;
  const exists = Object.values(operations).some((entry) => matches(entry.path, path));
  if (exists && method === 'OPTIONS')
    return status === 204 && headers.allow ? null : `answered ${status} to a preflight.`;
  const expected = exists ? 405 : 404;
  if (status !== expected) return `answered ${status} where ${expected} belongs.`;
  if (exists && !headers.allow) return 'answered 405 without Allow.';
  const validator = responseBodies[isMessagesPath(path) ? 'createMessage 404' : 'createChatCompletion 404'];
  return method === 'HEAD' || validator(JSON.parse(text)) ? null : `answered ${status} with no error body: ${text}`;
}

function isOperation(name: string): name is OperationId {
  return name in documented;
}

/** A parameter is one segment; one slash at the end is ignored, and a path that cannot be decoded matches nothing. */
function matches(pattern: string, path: string): boolean {
  const literals = pattern.split(/\{\w+\}/).map((literal) => literal.replaceAll('.', '\\.'));
  return new RegExp(`^${literals.join('[^/]+')}/?$`).test(path) && (literals.length === 1 || isDecodable(path));
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
