/**
 * Addresses, and the answers that belong to no operation: an unknown address, a method that an address does not
 * support, the preflight of a browser, and the pages: the market at / with its files below /assets, the
 * documentation and the reference at /docs, the settings, the console, and where one signs in. openapi.yaml describes all but the market in `info`. The
 * metrics have a port of their own; src/metrics.test.ts holds that the public one has none.
 */
import { isMessagesPath } from '#http/contract.ts';
import {
  type Addresses,
  operations as documented,
  isConsolePath,
  type OperationId,
  responseBodies,
} from './operations.ts';
import type { RawAnswer } from './raw-answer.ts';

/** The operation at an address; null when there is none. HEAD belongs to the operation of GET. */
export function operationAt(operations: Addresses, method: string, path: string): OperationId | null {
  const at = (wanted: string) =>
    Object.entries(operations).find(([, entry]) => entry.method === wanted && matches(entry.path, path))?.[0];
  const name = at(method.toLowerCase()) ?? (method === 'HEAD' ? at('get') : undefined);
  return name !== undefined && isOperation(name) ? name : null;
}

/** What is wrong with an answer where there is no operation, in one sentence; null when nothing is. */
export function problemWithNoOperation(
  operations: Addresses,
  method: string,
  path: string,
  { status, headers, text }: RawAnswer,
): string | null {
  if (
    /^\/(docs(\/|$)|settings(\/billing)?$|console$|metrics$|settings\/sign-in([/.]|$)|assets\/|$)/.test(path) &&
    ['GET', 'HEAD'].includes(method) &&
    [200, 304, 503].includes(status)
  )
    return null;
  const exists = Object.values(operations).some((entry) => matches(entry.path, path));
  // Pages of other sites get no leave for these addresses: a preflight is refused like any other method.
  if (exists && method === 'OPTIONS' && !isConsolePath(path))
    return status === 204 && headers.allow ? null : `answered ${status} to a preflight.`;
  const expected = exists ? 405 : 404;
  if (status !== expected) return `answered ${status} where ${expected} belongs.`;
  if (exists && !headers.allow) return 'answered 405 without Allow.';
  const validator = responseBodies[refusalLike(operations, path)];
  return method === 'HEAD' || validator?.(JSON.parse(text)) ? null : `answered ${status} with no error body: ${text}`;
}

/** An answer whose body has the form of a refusal on this path. */
function refusalLike(operations: Addresses, path: string): string {
  if (isConsolePath(path) && 'getSession' in operations) return 'getSession 401';
  return isMessagesPath(path) ? 'createMessage 404' : 'createChatCompletion 404';
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
