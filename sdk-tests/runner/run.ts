/**
 * The program of `scripts/test-sdks`: generates stale clients, starts one gateway, and tests all clients in parallel.
 * Prints what each language did and how long it took, and exits 1 when one of them failed.
 */
import { languagesFrom, staleClients, writeClients } from '#codegen/sdks/generate.ts';
import { type Language, missingToolchains } from '#codegen/sdks/toolchains.ts';
import { reported, reportLine, runCommand } from './command.ts';
import { follow } from './cut.ts';
import { playCalls } from './failing-calls.ts';
import { play, stepsOf } from './scenario.ts';
import { sdkBuildOf } from './sdk-build.ts';
import { openSdkGateway, type SdkGateway } from './sdk-gateway.ts';

/** Of the faults of `playCalls`. */
const SEED = 20_251_127;

await main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

async function main(words: readonly string[]): Promise<void> {
  const beginMs = Date.now();
  const chosen = languagesFrom(words);
  const missing = await missingToolchains(chosen);
  if (missing.length > 0) throw new Error(missing.map(({ sentence }) => sentence).join('\n'));
  const stale = await staleClients(chosen);
  if (stale.length > 0) await writeClients(stale);
  console.log(reportLine(`generate ${stale.join(', ') || 'nothing'}`, Date.now() - beginMs));
  const allRight = await tryAll(chosen);
  console.log(reportLine(allRight ? 'all passed' : 'failed', Date.now() - beginMs));
  process.exitCode = allRight ? 0 : 1;
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
function tried(language: Language, gateway: SdkGateway, steps: readonly string[]): Promise<boolean> {
  return reported(language, async (step) => {
    const { build, streams, firstCall, following, scenario, layer, calls, addOns } = await sdkBuildOf(language);
    const addresses = { SLUICE_URL: gateway.url, SLUICE_BASE_URL: gateway.url };
    const env = { ...addresses, SLUICE_KEY: await gateway.openAccount(language) };
    await step('build', async () => {
      for (const command of build) await runCommand(command);
    });
    await step('streams', () => runCommand(streams));
    await step('first call of its README', () => runCommand({ ...firstCall, env }));
    await step('a stream that is cut', async () => {
      for (const command of following) await follow({ ...command, env }, gateway.url);
    });
    await step(`${steps.length} steps of the scenario`, () => play({ ...scenario, env }, steps));
    if (layer) await step('the layer', () => runCommand(layer));
    if (addOns)
      await step('add-ons', async () => {
        for (const command of addOns) await runCommand({ ...command, env });
      });
    if (calls) console.log(await step('calls that fail', () => playCalls(calls, SEED)));
  });
}
