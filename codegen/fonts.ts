/**
 * Cuts the fonts of the pages out of Inter: one file with letters, and one with figures of one width. Other letters, of names in
 * other alphabets, are those of the system. Weights between the ones that pages use are in both files.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import subsetFont from 'subset-font';

const FOLDER = dirname(createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json'));
const WEIGHTS = { wght: { min: 400, max: 650 } };
const FIGURES = '0123456789';
/** What is on a keyboard, and the signs that pages write. */
const TEXT = `${Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((letter) => !FIGURES.includes(letter))
  .join('')}–—’“”…·×`;

/** Files of console/fonts by name. */
export async function fontFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const source = readFileSync(`${FOLDER}/files/inter-latin-wght-normal.woff2`);
  const options = { targetFormat: 'woff2', variationAxes: WEIGHTS } as const;
  return new Map([
    // It must be beside each copy.
    ['LICENSE', readFileSync(`${FOLDER}/LICENSE`)],
    ['text.woff2', await subsetFont(source, TEXT, { ...options, keepFeatures: ['kern'] })],
    ['figures.woff2', await subsetFont(source, FIGURES, { ...options, keepFeatures: ['tnum'] })],
  ]);
}
