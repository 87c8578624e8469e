/**
 * Finds which test or conformance check proves a sentence of the specification: in a test the comment `// Spec 4.2-7, 4.2-9`
 * above it, in a check its first argument.
 */

/** A test or a check that proves sentences. */
export interface Proof {
  readonly file: string;
  /** Its title, or what stands in the code where that is computed. */
  readonly name: string;
  readonly sentences: readonly string[];
  readonly isCheck: boolean;
}

const MARK = /^ *\/\/ Spec ((?:\d+(?:\.\d+)?-\d+(?:, )?)+)\.?$/;
const CHECK = /\b(?:check|marketCheck)\(\s*'([\d .-]+)',\s*'([^']+)'/g;
const TITLE = /'((?:[^'\\]|\\.)+)'|`([^`]+)`|"((?:[^"\\]|\\.)+)"/;

/** The proofs in a file with tests or checks. Throws for a mark that no test follows. */
export function proofsIn(file: string, text: string): Proof[] {
  if (file.startsWith('src/conformance/checks/')) {
    return [...text.matchAll(CHECK)].map(([, ids = '', name = '']) => ({
      file,
      name,
      sentences: ids.split(' '),
      isCheck: true,
    }));
  }
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, ids] = MARK.exec(line) ?? [];
    if (ids === undefined) return [];
    // The test may be the body of a loop.
    const below = lines.slice(at + 1).filter((each, place) => place > 1 || !each.startsWith('for ('));
    const [next = '', after = ''] = below;
    if (!/^ *(?:it\w*|test|describe|\w+)(?:\.\w+)?\(/.test(next))
      throw new Error(`${file}:${at + 1}: no test follows this mark.`);
    const title = TITLE.exec(next) ?? (next.trimEnd().endsWith('(') ? TITLE.exec(after) : null);
    const name = title?.slice(1).find(Boolean) ?? next.trim();
    return [{ file, name: name.replaceAll("\\'", "'"), sentences: ids.split(', '), isCheck: false }];
  });
}
