/**
 * Writes docs/buy/conformance.md and side-by-side/failures.md: `npm run conformance-page`, three minutes. The checks of
 * `sluice conformance` for this gateway, and for Portkey, LiteLLM and smg in front of a pod. The pod is this gateway
 * without its market, and passes every check itself, so that what fails there is theirs.
 */
import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import type { GatewayOptions } from '#conformance/checks/gateway.ts';
import { type CheckOutcome, conformanceOf } from '#conformance/run.ts';
import { checkedSite } from '#testing/checked-site.ts';
import { litellm, startLitellm } from './http/litellm.ts';
import { PORTKEY_VERSION, portkeyHeaders, startPortkey } from './http/portkey.ts';
import { smg, startSmg } from './http/smg.ts';
import { untilOpen } from './http/until-open.ts';
import { conformancePage, failuresPage } from './side-by-side/page.ts';
import { startPlainPod } from './side-by-side/plain-pod.ts';

const PAGE = join(import.meta.dirname, '../docs/buy/conformance.md');
const FAILURES = join(import.meta.dirname, 'side-by-side/failures.md');
const MODEL = 'tide';
/** The key of the others has this limit, so that no request has to name one, which they would not pass on. */
const LIMIT = 10;

/** Checks of Anthropic's shape. */
const OF_MESSAGES = /^messages:|Anthropic|^(?:a|another) message\b|of a message\b|refused message/;

const children: ChildProcess[] = [];
const { site, gateway, key } = await checkedSite();
const pod = await startPlainPod(gateway.url);
try {
  const ours = await checked('Sluice', gateway.url, key, { priceLimit: 1 });
  const { id } = await site.openAccount('side-by-side', '1000');
  const { json: made } = await site.command('key', 'create', id, '--price-limit', `${MODEL}=${LIMIT}`);
  const checkedGateways = [
    { name: 'Sluice', outcomes: ours },
    { name: `Portkey ${PORTKEY_VERSION}`, outcomes: await ofPortkey(String(made.api_key)) },
    { name: `LiteLLM ${litellm.version}`, outcomes: await ofLitellm(String(made.api_key)) },
    { name: `smg ${smg.version}`, outcomes: await ofSmg(String(made.api_key)) },
  ];
  writeFileSync(PAGE, conformancePage(checkedGateways));
  writeFileSync(FAILURES, failuresPage(checkedGateways));
  console.log('docs/buy/conformance.md and benchmarks/side-by-side/failures.md are written.');
} finally {
  for (const child of children) child.kill('SIGKILL');
  pod.server.closeAllConnections();
  pod.server.close();
  await gateway.stop();
  site.remove();
}

/** Its provider decides the shape that it passes on. */
async function ofPortkey(ownKey: string): Promise<CheckOutcome[]> {
  const { url, process } = await startPortkey();
  children.push(process);
  const backend = `${pod.url}/v1`;
  const asOpenai = await checked('Portkey (openai)', url, ownKey, { headers: portkeyHeaders(backend, 'openai') });
  const asAnthropic = await checked('Portkey (anthropic)', url, ownKey, {
    headers: portkeyHeaders(backend, 'anthropic'),
  });
  return asOpenai.map((outcome, at) => (OF_MESSAGES.test(outcome.check) ? asAnthropic[at] : null) ?? outcome);
}

async function ofLitellm(ownKey: string): Promise<CheckOutcome[]> {
  const proxy = await startLitellm(new Map([[MODEL, `${pod.url}/v1`]]), ownKey);
  children.push(proxy.process);
  await untilOpen(`${proxy.url}/health/liveliness`);
  const outcomes = await checked('LiteLLM', proxy.url, proxy.key);
  rmSync(proxy.folder, { recursive: true });
  return outcomes;
}

async function ofSmg(ownKey: string): Promise<CheckOutcome[]> {
  const { url, process } = await startSmg(pod.url, ownKey, MODEL);
  children.push(process);
  return checked('smg', url, ownKey);
}

async function checked(name: string, url: string, key: string, more: Partial<GatewayOptions> = {}) {
  const clock = systemClock;
  const asked = { url, key, model: MODEL, priceLimit: null, clock, ids: idSource(clock), ...more };
  const outcomes = await conformanceOf(asked);
  const count = (result: CheckOutcome['result']) => outcomes.filter((outcome) => outcome.result === result).length;
  console.log(
    `${name}: ${count('holds')} hold, ${count('fails')} fail, ${count('absent')} absent, ${count('late')} late`,
  );
  for (const { check, result, reason } of outcomes) if (result === 'fails') console.log(`  ✘ ${check}: ${reason}`);
  return outcomes;
}
