/**
 * Writes docs/conformance.md: `npm run conformance-page`, a minute. The checks of `sluice conformance` for this gateway, and
 * for Portkey and LiteLLM in front of it. What is behind them passes every check itself, with no simulated faults, so
 * that what fails there is theirs.
 */
import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type CheckOutcome, conformanceOf } from '#conformance/run.ts';
import { makeSite } from '#testing/gateway-process.ts';
import { litellmVersion, startLitellm } from './http/litellm.ts';
import { PORTKEY_VERSION, portkeyHeaders, startPortkey } from './http/portkey.ts';
import { untilOpen } from './http/until-open.ts';
import { conformancePage } from './side-by-side/page.ts';

const FILE = join(import.meta.dirname, '../docs/conformance.md');
const MODEL = 'tide';
/** The key has this limit, so that no request has to name one, which the others would not pass on. */
const LIMIT = 10;
const CONFIGURATION = JSON.stringify({
  default_model: MODEL,
  models: [
    {
      id: MODEL,
      type: 'market',
      context_length: 131072,
      max_output_length: 1024,
      pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
      floor: 0.5,
      ceiling: 100,
      pods: [{ id: 'sim-1', simulated: true, slots: 64, seed: 1 }],
    },
  ],
});

const children: ChildProcess[] = [];
const site = await makeSite(CONFIGURATION);
const account = await site.command('account', 'create', 'side-by-side', '--credit', '1000');
const made = await site.command('key', 'create', String(account.json.account_id), '--price-limit', `${MODEL}=${LIMIT}`);
const ownKey = String(made.json.api_key);
const gateway = await site.start();
try {
  const backend = `${gateway.url}/v1`;
  const ours = await checked('Sluice', gateway.url, ownKey);
  const portkey = await startPortkey();
  children.push(portkey.process);
  const theirs = await checkedPortkey(portkey.url, backend);
  const litellm = await startLitellm(new Map([[MODEL, backend]]), ownKey);
  children.push(litellm.process);
  await untilOpen(`${litellm.url}/health/liveliness`);
  const others = await checked('LiteLLM', litellm.url, litellm.key);
  rmSync(litellm.folder, { recursive: true });
  const page = conformancePage([
    { name: 'Sluice', outcomes: ours },
    { name: `Portkey ${PORTKEY_VERSION}`, outcomes: theirs },
    { name: `LiteLLM ${litellmVersion()}`, outcomes: others },
  ]);
  writeFileSync(FILE, page);
  console.log(`docs/conformance.md is written.`);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await gateway.stop();
  site.remove();
}

/** Its provider decides the shape that it passes on. */
async function checkedPortkey(url: string, backend: string): Promise<CheckOutcome[]> {
  const asOpenai = await checked('Portkey (openai)', url, ownKey, portkeyHeaders(backend, 'openai'));
  const asAnthropic = await checked('Portkey (anthropic)', url, ownKey, portkeyHeaders(backend, 'anthropic'));
  return asOpenai.map(
    (outcome, at) => (/^messages:|Anthropic/.test(outcome.check) ? asAnthropic[at] : null) ?? outcome,
  );
}

async function checked(name: string, url: string, key: string, headers = {}): Promise<CheckOutcome[]> {
  const options = { url, key, model: MODEL, priceLimit: null, headers, ids: idSource(systemClock), clock: systemClock };
  const outcomes = await conformanceOf(options);
  const count = (result: CheckOutcome['result']) => outcomes.filter((outcome) => outcome.result === result).length;
  console.log(`${name}: ${count('holds')} hold, ${count('fails')} fail, ${count('absent')} absent`);
  for (const { check, result, reason } of outcomes) if (result === 'fails') console.log(`  ✘ ${check}: ${reason}`);
  return outcomes;
}
