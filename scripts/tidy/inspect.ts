/**
 * Checks source files against the house rules. Pure: files in, findings out. Finds imports, names and words by pattern
 * instead of parsing, after blanking comments; that is exact for code formatted by biome.
 */
import { checkCircles, checkImports } from './imports.ts';
import { checkNames } from './names.ts';
import { isProduct, lineLimits, longFiles, words } from './rules.ts';
import { type Finding, fault, isTest, livesIn, placeOf, type SourceFile, warning, withoutComments } from './source.ts';

/** Everything that is wrong with these files, and with `glossary`, the text of docs/glossary.md. */
export function inspect(files: readonly SourceFile[], glossary: SourceFile): Finding[] {
  const findings = files.flatMap((file) => [
    ...checkOpening(file),
    ...checkLength(file),
    ...checkWords(file),
    ...checkSeeds(file),
    ...checkImports(file),
  ]);
  return [...findings, ...checkCircles(files.filter((file) => !isTest(file.path))), ...checkNames(files, glossary)];
}

function checkOpening({ path, text }: SourceFile): Finding[] {
  if (isTest(path) || /^(#!.*\n)?\/\*\*/.test(text)) return [];
  return [fault(path, 1, 'opens without a comment that says what lives here')];
}

/** A file on the list of long files may have the lines of its entry; an entry that is no longer needed is a warning. */
function checkLength({ path, text }: SourceFile): Finding[] {
  const lines = text.trimEnd().split('\n').length;
  const standard = isTest(path) ? lineLimits.test : lineLimits.source;
  const limit = longFiles[path] ?? standard;
  if (lines > limit)
    return [fault(path, lines, `has ${lines} lines, more than ${limit}: find the second idea inside it`)];
  if (limit === standard || lines > standard) return [];
  return [warning(path, 1, 'is not a long file any more: remove it from the list')];
}

function checkWords({ path, text }: SourceFile): Finding[] {
  if (isTest(path)) return [];
  const lines = withoutComments(text).split('\n');
  return words.flatMap(({ pattern, homes, mend, everywhere }) => {
    if (livesIn(path, homes) || !(everywhere || isProduct(placeOf(path)))) return [];
    return lines.flatMap((content, index) => {
      const found = pattern.exec(content)?.[0];
      return found ? [fault(path, index + 1, `says ${found.replace(/\($/, '')} outside its home: ${mend}`)] : [];
    });
  });
}

/** Generated input without a seed fails once in a thousand runs, and nobody can run it again. */
function checkSeeds({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  if (!/\bfc\.assert\(/.test(code) || /\bseed\b/.test(code)) return [];
  return [fault(path, 1, 'generates its input without a seed: give fc.assert one')];
}
