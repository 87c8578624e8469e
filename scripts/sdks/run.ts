/**
 * What `scripts/test-sdks` runs: generates the clients that are stale, starts one gateway, and tries each client beside
 * the others. Prints what each language did and how long it took, and exits 1 when one of them failed.
 */
import { languagesFrom, staleClients, writeClients } from '../../codegen/sdks/generate.ts';
import { type Language, missingToolchains } from '../../codegen/sdks/toolchains.ts';
import { type Command, CommandFailed, runCommand } from './command.ts';
import { openShop, type Shop } from './shop.ts';
import { stepsOf } from './steps.ts';
import { workshopOf } from './workshop.ts';

const COLUMN = 26;

const chosen = languagesFrom(process.argv.slice(2));
const missing = await missingToolchains(chosen);
for (const { sentence } of missing) console.error(sentence);
if (missing.length > 0) process.exit(1);

const stale = await staleClients(chosen);
const beginMs = Date.now();
if (stale.length > 0) await writeClients(stale);
console.log(row('generate', stale.length > 0 ? seconds(Date.now() - beginMs) : 'up to date', stale.join(', ')));

const steps = await stepsOf();
const shop = await openShop();
try {
  const right = await Promise.all(chosen.map((language) => tried(language, shop)));
  const findings = await shop.audit();
  for (const finding of findings) console.error(`audit: ${finding}`);
  process.exitCode = right.every(Boolean) && findings.length === 0 ? 0 : 1;
} finally {
  await shop.close();
}
console.log(row(process.exitCode === 0 ? 'all passed' : 'failed', seconds(Date.now() - beginMs)));

/** Builds and tries one client, prints what happened, and tells whether all of it was right. */
async function tried(language: Language, { url, openAccount }: Shop): Promise<boolean> {
  const lines: string[] = [language];
  try {
    const { build, firstCall, scenario } = await workshopOf(language);
    const env = { SLUICE_URL: url, SLUICE_KEY: await openAccount(language) };
    lines.push(row('build', await lasted(build)));
    lines.push(row('first call of its README', await lasted([{ ...firstCall, env }])));
    lines.push(...(await played({ ...scenario, env })));
    console.log(lines.join('\n'));
    return true;
  } catch (error) {
    const sentence = error instanceof CommandFailed ? `${error.message}\n${error.printed}` : String(error);
    console.log([...lines, `FAILED: ${sentence}`].join('\n'));
    return false;
  }
}

async function lasted(commands: readonly Command[]): Promise<string> {
  const beginMs = Date.now();
  for (const command of commands) await runCommand(command);
  return seconds(Date.now() - beginMs);
}

/** Runs a scenario and gives a line for each step; throws when a step is missing or out of order. */
async function played(command: Command): Promise<string[]> {
  const lines: string[] = [];
  let stepBeginMs = Date.now();
  const printed = await runCommand(command, (line) => {
    const step = steps[lines.length];
    if (line !== `ok ${step}`) return;
    lines.push(row(`  ${step}`, seconds(Date.now() - stepBeginMs)));
    stepBeginMs = Date.now();
  });
  if (lines.length === steps.length) return lines;
  throw new CommandFailed(`The scenario ended without the step "${steps[lines.length]}".`, printed);
}

function row(name: string, time: string, more = ''): string {
  return `  ${name.padEnd(COLUMN)} ${time.padStart(10)} ${more}`.trimEnd();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
