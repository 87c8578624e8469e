/**
 * `npm run tidy`: holds the house rules (scripts/tidy/rules.ts) against the source and names every breach with its
 * file and line. Exits 1 when there is a fault; warnings are only said.
 */
import { globSync, readFileSync } from 'node:fs';
import { inspect } from './tidy/inspect.ts';

const files = globSync('src/**/*.ts').sort();
const findings = inspect(files.map((path) => ({ path, text: readFileSync(path, 'utf8') })));
for (const { path, line, severity, sentence } of findings) {
  console.log(`${path}:${line}: ${severity === 'warning' ? 'warning: ' : ''}${sentence}`);
}
const faults = findings.filter((finding) => finding.severity === 'fault').length;
console.log(`tidy: ${files.length} files, ${faults} faults, ${findings.length - faults} warnings`);
process.exitCode = faults > 0 ? 1 : 0;
