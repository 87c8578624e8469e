/**
 * The two interface documents: openapi.yaml, which is public, and openapi/console.yaml, for the gateway's own pages. All
 * that reads documents (the generator, `npm run spec`) goes through this list, so that both are treated alike.
 */
import { fileURLToPath } from 'node:url';

/** A document and what is made of it; paths are absolute. */
export interface InterfaceDocument {
  /** From the root of the repository. */
  readonly name: string;
  readonly document: string;
  /** Where its generated files are. */
  readonly folder: string;
  /** The folder of its parts, and what in there belongs to another document. */
  readonly parts: string;
  readonly otherParts: readonly string[];
  /** Whether callers outside rely on it, so that a change that breaks them has to be announced. */
  readonly isPublic: boolean;
}

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Every document, the public one first. */
export const documents: readonly InterfaceDocument[] = [
  {
    name: 'openapi.yaml',
    document: at('openapi.yaml'),
    folder: at('generated'),
    parts: at('openapi'),
    otherParts: ['console.yaml', 'console/**'],
    isPublic: true,
  },
  {
    name: 'openapi/console.yaml',
    document: at('openapi/console.yaml'),
    folder: at('generated/console-api'),
    parts: at('openapi/console'),
    otherParts: [],
    isPublic: false,
  },
];
