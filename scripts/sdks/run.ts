/**
 * The program of `scripts/test-sdks`: generates stale clients, starts one gateway, and tests all clients in parallel.
 * Prints what each language did and how long it took, and exits 1 when one of them failed.
 */
import { languagesFrom, staleClients, writeClients } from '#codegen/sdks/generate.ts';
import { type Language, missingToolchains } from '#codegen/sdks/toolchains.ts';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';
import { follow } from './cut.ts';
import { play, stepsOf } from './scenario.ts';
import { sdkBuildOf } from './sdk-build.ts';
import { openSdkGateway, type SdkGateway } from './sdk-gateway.ts';

const COLUMN = 26;

await main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

async function main(words: readonly string[]): Promise<void> {
  const beginMs = Date.now();
  const chosen = languagesFrom(words);
  const missing = await missingToolchains(chosen);
  if (missing.length > 0) throw new Error(missing.map(({ sentence }) => sentence).join('\n'));
  await generate(chosen);
  const allRight = await tryAll(chosen);
  console.log(row(allRight ? 'all passed' : 'failed', seconds(Date.now() - beginMs)));
  process.exitCode = allRight ? 0 : 1;
}

async function generate(chosen: readonly Language[]): Promise<void> {
  const beginMs = Date.now();
  const stale = await staleClients(chosen);
  if (stale.length > 0) await writeClients(stale);
  console.log(row('generate', stale.length > 0 ? seconds(Date.now() - beginMs) : 'up to date', stale.join(', ')));
}

async function tryAll(chosen: readonly Language[]): Promise<boolean> {
  const steps = await stepsOf();
  const gateway = await openSdkGateway();
  try {
    const right = await Promise.all(chosen.map((language) => tried(language, gateway, steps)));
    const findings = await gateway.audit();
    for (const finding of findings) console.error(finding);
    return right.every(Boolean) && findings.length === 0;
  } finally {
    await gateway.close();
  }
}

/** Builds and tests one client, prints what happened, and returns whether it passed. */
async function tried(language: Language, gateway: SdkGateway, steps: readonly string[]): Promise<boolean> {
  const lines: string[] = [language];
  try {
    const { build, streams, firstCall, following, scenario } = await sdkBuildOf(language);
    const env = { SLUICE_URL: gateway.url, SLUICE_KEY: await gateway.openAccount(language) };
    lines.push(row('build', await lasted(build)));
    lines.push(row('streams', await lasted([streams])));
    lines.push(row('first call of its README', await lasted([{ ...firstCall, env }])));
    const follows = (command: ShellCommand) => follow({ ...command, env }, gateway.url);
    lines.push(row('a stream that is cut', await lasted(following, follows)));
    for (const { step, ms } of await play({ ...scenario, env }, steps)) lines.push(row(`  ${step}`, seconds(ms)));
    console.log(lines.join('\n'));
    return true;
  } catch (error) {
    const sentence = error instanceof CommandFailed ? `${error.message}\n${error.printed}` : String(error);
    console.log([...lines, `FAILED: ${sentence}`].join('\n'));
    return false;
  }
}

async function lasted(
  commands: readonly ShellCommand[],
  run: (command: ShellCommand) => Promise<unknown> = (command) => runCommand(command),
): Promise<string> {
  const beginMs = Date.now();
  for (const command of commands) await run(command);
  return seconds(Date.now() - beginMs);
}

function row(name: string, time: string, more = ''): string {
  return `  ${name.padEnd(COLUMN)} ${time.padStart(10)} ${more}`.trimEnd();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
