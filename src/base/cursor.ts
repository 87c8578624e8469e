/**
 * Opaque list cursors. A cursor holds the sort key of the last row of a page and a digest of the list, account and
 * filters, so that a cursor of another list is refused instead of misread.
 */
import { createHash } from 'node:crypto';
import { Fault } from './fault.ts';

/** A cursor for the page after `key`, bound to `scope` (list name, account and filters; never shown to callers). */
export function encodeCursor(scope: string, key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([digest(scope), ...key])).toString('base64url');
}

/** The key in `cursor`. Throws `invalid_cursor` unless `encodeCursor` made it for this scope. */
export function decodeCursor(scope: string, cursor: string): (string | number)[] {
  try {
    const [mark, ...key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (mark === digest(scope) && key.every((part) => typeof part === 'string' || typeof part === 'number')) {
      return key as (string | number)[];
    }
  } catch {
    // Not base64url or not JSON: refused below like any other invalid cursor.
  }
  throw new Fault('invalid_cursor', { param: 'cursor' });
}

function digest(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 12);
}
