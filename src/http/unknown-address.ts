/**
 * The fault for an address at which there is nothing. Most callers who get it have a base URL with a `/v1` too many or
 * too few, or are looking around: the message helps both.
 */
import { catalogue, Fault } from '#base/fault.ts';

/** The fault for an unknown path: the message of the catalogue, with a hint where there is one. */
export function unknownAddress(path: string, router: { methodsAt(path: string): readonly string[] }): Fault {
  const hint = hintFor(path, (other) => router.methodsAt(other).length > 0);
  const { message } = catalogue.not_found;
  return new Fault('not_found', {
    message: hint === null ? message : `${message} ${hint}`,
    // Who accepts HTML gets a page there.
    ...(path === '/' ? { headers: { vary: 'accept, accept-encoding' } } : {}),
  });
}

function hintFor(path: string, isKnown: (path: string) => boolean): string | null {
  if (path === '/') return '/docs is the API reference, /openapi.json the OpenAPI document.';
  const meant = [`/v1${path}`, path.replace(/^\/v1(?=\/)/, '')].find(isKnown);
  return meant === undefined ? null : `Did you mean ${meant}?`;
}
