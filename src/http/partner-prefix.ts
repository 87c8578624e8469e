/** The operator chooses the prefix of the partner catalog; the interface document names the default. */
import type { Contract } from './contract.ts';

const DOCUMENTED = '/partner';
const DOCUMENTED_PATH = `${DOCUMENTED}/v1/models`;

/** The operations, with the partner catalog below `prefix`. A prefix begins with a slash and does not end with one. */
export function withPartnerPrefix(operations: Contract['operations'], prefix: string): Contract['operations'] {
  return Object.fromEntries(
    Object.entries(operations).map(([operationId, entry]) => [
      operationId,
      entry.path === DOCUMENTED_PATH ? { ...entry, path: `${prefix}/v1/models` } : entry,
    ]),
  );
}

/** The interface document as text, with the partner catalog below `prefix`. */
export function describedAt(document: string, prefix: string): string {
  if (prefix === DOCUMENTED) return document;
  return document
    .replace(`"${DOCUMENTED_PATH}":`, `"${prefix}/v1/models":`)
    .replace(`\`${DOCUMENTED}\``, `\`${prefix}\``);
}
