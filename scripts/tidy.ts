/**
 * `npm run tidy`: checks every handwritten TypeScript file against the house rules (scripts/tidy/rules.ts) and prints
 * every breach with its file and line. Exits 1 when there is one.
 */
import { globSync, readFileSync } from 'node:fs';
import { inspect } from './tidy/inspect.ts';

const PLACES =
  '{src,simulations,testing,contract-tests,engine-tests,deploy-tests,benchmarks,scripts,codegen,console,sdk-tests}';

const files = globSync(`${PLACES}/**/*.{ts,tsx,mjs}`, { exclude: ['**/node_modules'] }).sort();
const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') });
const findings = inspect(files.map(read), {
  glossary: read('docs/change/glossary.md'),
  architecture: read('docs/change/architecture.md'),
});
for (const { path, line, sentence } of findings) console.log(`${path}:${line}: ${sentence}`);
console.log(`tidy: ${files.length} files, ${findings.length} faults`);
process.exitCode = findings.length > 0 ? 1 : 0;
