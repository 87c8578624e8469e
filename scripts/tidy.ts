/**
 * `npm run tidy`: checks every handwritten TypeScript file against the house rules (scripts/tidy/rules.ts) and prints
 * every breach with its file and line. Exits 1 when there is a fault; warnings are only printed.
 */
import { globSync, readFileSync } from 'node:fs';
import { inspect } from './tidy/inspect.ts';

const PLACES =
  '{src,simulations,testing,contract-tests,engine-tests,deploy-tests,benchmarks,scripts,codegen,console,sdk-tests}';

const files = globSync(`${PLACES}/**/*.{ts,tsx,mjs}`, { exclude: ['**/node_modules'] }).sort();
const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') });
const findings = inspect(files.map(read), read('docs/glossary.md'));
for (const { path, line, severity, sentence } of findings) {
  console.log(`${path}:${line}: ${severity === 'warning' ? 'warning: ' : ''}${sentence}`);
}
const faults = findings.filter((finding) => finding.severity === 'fault').length;
console.log(`tidy: ${files.length} files, ${faults} faults, ${findings.length - faults} warnings`);
process.exitCode = faults > 0 ? 1 : 0;
