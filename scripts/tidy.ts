/**
 * `npm run tidy`: checks every handwritten TypeScript file against the house rules (scripts/tidy/rules.ts), every text for
 * words to avoid and the documents against their budgets of words. Prints every breach with its file and line, and exits 1
 * when there is one.
 */
import { globSync, readFileSync } from 'node:fs';
import { checkBudgets } from './tidy/budgets.ts';
import { documents } from './tidy/documents.ts';
import { inspect } from './tidy/inspect.ts';
import { checkProse } from './tidy/prose.ts';

const PLACES =
  '{src,simulations,testing,contract-tests,engine-tests,deploy-tests,benchmarks,scripts,codegen,console,sdk-tests}';

const outside = { exclude: ['**/node_modules', '**/venv'] };
const files = globSync(`${PLACES}/**/*.{ts,tsx,mjs}`, outside).sort();
/** What else people read, beside the documents. */
const texts = globSync([`${PLACES}/**/*.{md,yaml}`, '{openapi,deploy}/**/*.{md,yaml}', 'openapi.yaml'], outside).sort();
const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') });
const findings = [
  ...inspect(files.map(read), {
    glossary: read('docs/change/glossary.md'),
    architecture: read('docs/change/architecture.md'),
  }),
  ...checkProse([...[...files, ...texts].map(read), ...documents()]),
  ...checkBudgets(documents()),
];
for (const { path, line, sentence } of findings) console.log(`${path}:${line}: ${sentence}`);
console.log(`tidy: ${files.length} files, ${findings.length} faults`);
process.exitCode = findings.length > 0 ? 1 : 0;
