/**
 * Checks source files against the house rules. Pure: files in, findings out. Finds imports, names and words by pattern
 * instead of parsing, after blanking comments; that is exact for code formatted by biome.
 */
import { checkFloorPlan } from './floor-plan.ts';
import { checkFolderCircles, checkImports } from './imports.ts';
import { checkNames } from './names.ts';
import { isProduct, words } from './rules.ts';
import { type Finding, fault, isTest, livesIn, placeOf, type SourceFile, withoutComments } from './source.ts';

/** The pages that say something about the source: docs/change/glossary.md and docs/change/architecture.md. */
export interface Pages {
  readonly glossary: SourceFile;
  readonly architecture: SourceFile;
}

/** Everything that is wrong with these files, and with the pages about them. */
export function inspect(files: readonly SourceFile[], { glossary, architecture }: Pages): Finding[] {
  const findings = files.flatMap((file) => [
    ...checkOpening(file),
    ...checkWords(file),
    ...checkSeeds(file),
    ...checkImports(file),
  ]);
  const inSrc = files.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  return [
    ...findings,
    ...checkFolderCircles(inSrc),
    ...checkFloorPlan(inSrc, architecture),
    ...checkNames(files, glossary),
  ];
}

function checkOpening({ path, text }: SourceFile): Finding[] {
  if (isTest(path) || /^(#!.*\n)?\/\*\*/.test(text)) return [];
  return [fault(path, 1, 'opens without a comment that says what lives here')];
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
