/**
 * The errors of the document as the templates of the clients read them: extensions of its root, which the generator hands
 * to each template as `vendorExtensions`. Each type of error becomes a family and each code a class in it, so a program
 * catches one code or all of a kind. A code whose class would have the name of its family is the family.
 */
import type { Json } from '../document.ts';

interface Code {
  readonly status: number;
  readonly type: string;
  readonly description: string;
  readonly retryable?: boolean;
  readonly charged?: boolean;
}

/** Errors of a client that no answer has: a family of the same name would mean two things. */
const OWN_NAMES = ['Timeout', 'Connection', 'UnexpectedAnswer'];

/**
 * `x-error-families`: name (without `Error` at its end), description. `x-error-statuses`: status and family of a code that
 * the client does not know. `x-errors`: code, name, status, description; `base`, the family or `Sluice`; `isClass`,
 * unless the family is its class; `retryable`; `isUncharged`, whether the code means that nothing was charged.
 */
export function errorLists(root: Json): Json {
  const { 'x-errors': errors } = (root.components ?? {}) as { readonly 'x-errors'?: ErrorParts };
  const { types = {}, codes = {} } = errors ?? {};
  const familyOf = (type: string) => (OWN_NAMES.includes(nameOf(type)) ? '' : nameOf(type));
  const families = Object.entries(types)
    .filter(([type]) => familyOf(type))
    .map(([type, description]) => ({ name: nameOf(type), description }));
  const statuses = new Map(Object.values(codes).map(({ status, type }) => [status, familyOf(type)]));
  const listed = Object.entries(codes).map(([code, { status, type, description, retryable = false, charged }]) => {
    const [name, base] = [nameOf(code), familyOf(type) || 'Sluice'];
    const isClass = name !== base;
    return { code, name, base, isClass, status, description, retryable, isUncharged: charged === false };
  });
  return {
    'x-error-families': families,
    'x-error-statuses': [...statuses].flatMap(([status, family]) => (family ? [{ status, family }] : [])),
    'x-errors': listed,
  };
}

interface ErrorParts {
  readonly types?: Readonly<Record<string, string>>;
  readonly codes?: Readonly<Record<string, Code>>;
}

/** `InsufficientQuota` of `insufficient_quota`, and `RateLimit` of `rate_limit_error`. */
function nameOf(word: string): string {
  return word.replace(/_error$/, '').replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
