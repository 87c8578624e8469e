/** The first calls that the page shows, run as they are copied; those of Codex and Claude Code are not, which need their programs. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { makeOwnSite } from '#testing/own-site.ts';
import { pythonWith } from '#testing/python.ts';
import { clients } from '../src/start/clients.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { folder, python, skip: withoutPython } = pythonWith(['openai==3.22.1', 'anthropic==2.12.0']);
const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';
const MODULE = ['--input-type=module', '--eval'];
/** How each is run, what is on the screen then, and why it is not run. */
const RUNS = [
  ['curl', ['sh', '-ec'], /"charged_usd":/, withoutCurl],
  ['OpenAI, Python', [python, '-c'], /'charged_usd': /, withoutPython],
  ['OpenAI, JavaScript', [process.execPath, ...MODULE], /charged_usd: /, false],
  ['Anthropic', [python, '-c'], /\w/, withoutPython],
  ['AI SDK', [process.execPath, ...MODULE], /\w/, false],
] as const;

const CALLS = [
  ['tide-70b', 0.5],
  ['harbor-8b', null],
] as const;

describe('the first call, run as it is copied', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let key = '';
  before(async () => {
    site = await makeOwnSite(readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8'));
    gateway = await site.start();
    const { json } = await site.command('account', 'create', 'Buyer', '--credit', '100');
    key = String((await site.command('key', 'create', String(json.account_id))).json.api_key);
  });
  after(async () => {
    await gateway?.stop();
    site?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [name, [command, ...args], expected, skip] of RUNS) {
    it(`of ${name} is answered`, { skip }, async () => {
      const client = clients.find((each) => each.name === name);
      assert.ok(client);
      // An import takes Python seconds, so it runs only the call in which more can be wrong.
      for (const [model, limit] of command === python ? CALLS.slice(0, 1) : CALLS) {
        const text = client.text({ origin: gateway.url, model, limit });
        const env = { ...process.env, SLUICE_KEY: key, AI_SDK_LOG_WARNINGS: 'false' };
        const { stdout } = await run(command, [...args, text], { cwd: ROOT, env });
        assert.match(stdout, expected, model);
      }
    });
  }
});
