/**
 * Opaque list cursors: the keys of the last row of a page and what the list was asked for, so that a cursor of another
 * list, another account or another filter is refused instead of misread.
 */
import { createHash } from 'node:crypto';
import { Fault } from './fault.ts';

/** A cursor for the page after `key`, bound to `scope` (list name, account and filters; never shown to the caller). */
export function encodeCursor(scope: string, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([digest(scope), ...key])).toString('base64url');
}

/** The key inside `cursor`. Throws `invalid_cursor` when it was not made by `encodeCursor` for this scope. */
export function decodeCursor(scope: string, cursor: string): (string | number)[] {
  try {
    const [mark, ...key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (mark === digest(scope) && key.every((part) => typeof part === 'string' || typeof part === 'number')) {
      return key as (string | number)[];
    }
  } catch {
    // Not base64url of JSON: refused below like every other cursor that is not ours.
  }
  throw new Fault('invalid_cursor', { param: 'cursor' });
}

function digest(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 12);
}
