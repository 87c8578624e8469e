/**
 * The refusal of an address at which there is nothing. Most who land there have a base address that is off by `/v1`, or
 * are having a look round: both are told where to go.
 */
import { catalogue, Fault } from '#base/fault.ts';
import type { CachedRouter } from './routes.ts';

/** What there is at a path that was found to have nothing, in the words of the catalogue and a hint where one is known. */
export function unknownAddress(path: string, router: Pick<CachedRouter, 'methodsAt'>): Fault {
  const hint = hintFor(path, (other) => router.methodsAt(other).length > 0);
  const { message } = catalogue.not_found;
  return new Fault('not_found', { message: hint === null ? message : `${message} ${hint}` });
}

function hintFor(path: string, isKnown: (path: string) => boolean): string | null {
  if (path === '/') return '/docs is the reference to read, /openapi.json the one for programs.';
  const meant = [`/v1${path}`, path.replace(/^\/v1(?=\/)/, '')].find(isKnown);
  return meant === undefined ? null : `Did you mean ${meant}?`;
}
