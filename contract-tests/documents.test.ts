/**
 * What README.md and docs/ show is run as it stands, against a gateway that was started as they say. Only what a reader
 * would fill in is filled in: the address, the key, the id of an account.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseConfig } from '#config.ts';
import { shownIn } from './support/markdown.ts';
import { npmStart, ROOT, type StartedGateway } from './support/npm-start.ts';

const run = promisify(execFile);
const README = 'README.md';
const files = [README, 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const shown = files.flatMap((file) => shownIn(file, readFileSync(join(ROOT, file), 'utf8')));
const blocks = (language: string, word: string) =>
  shown.filter((block) => block.language === language && block.text.includes(word));

/** A refusal fails the command; a checkout has `npx sluice` without asking the registry. */
const SHELL = `set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
npx() { shift; "${ROOT}/scripts/sluice" "$@"; }
`;

describe('what the documents show', () => {
  let gateway: StartedGateway;
  before(async () => {
    gateway = await npmStart();
  });
  after(() => gateway?.stop());

  /** Runs commands as a reader would; what they print. */
  async function bash(commands: string): Promise<string> {
    const { url, key, environment } = gateway;
    const filledIn = commands.replaceAll('http://127.0.0.1:8080', url).replaceAll(/sk-sluice-…/g, key);
    const env = { ...environment, SLUICE_KEY: key };
    const { stdout } = await run('bash', ['-c', SHELL + filledIn], { cwd: ROOT, env });
    return stdout;
  }

  it('the welcome of npm start shows a request that is answered', async () => {
    const [command] = /curl [\s\S]*?\n +-d '.*'/.exec(gateway.welcome) ?? [];
    assert.ok(command, gateway.welcome);
    assert.equal(JSON.parse(await bash(command)).object, 'chat.completion');
  });

  const requests = [...blocks('sh', 'curl '), ...blocks('sentence', 'curl ')];
  it('is more than two requests', () => assert.ok(requests.length > 2));
  for (const { place, text } of requests) {
    it(`${place}: a request that is answered`, async () => {
      const answer: unknown = JSON.parse(await bash(text));
      assert.ok(typeof answer === 'object' && answer !== null, text);
      // An order has the key always, null unless it failed.
      assert.equal(('error' in answer ? answer.error : null) ?? null, null, text);
    });
  }

  it('README.md: the receipt has the keys that it is shown with', async () => {
    const [request] = blocks('sh', 'What is a sluice?');
    const [receipt] = blocks('json', '"usage"');
    assert.ok(request && receipt);
    const { usage } = JSON.parse(await bash(request.text));
    assert.deepEqual(missingKeys(JSON.parse(`{${receipt.text}}`).usage, usage), []);
  });

  it('docs/using.md: a receipt recomputed by hand is what was charged, and ends at the figure that the README shows', async () => {
    const [request] = blocks('sh', 'What is a sluice?');
    const [receipt] = blocks('json', '"usage"');
    assert.ok(request && receipt);
    const { usage } = JSON.parse(await bash(request.text));
    const { pricing_ratio: ratio } = JSON.parse(await bash('curl http://127.0.0.1:8080/v1/models/tide-70b'));
    const cached = usage.prompt_tokens_details.cached_tokens;
    const mix = 0.9 * ratio.cached + 0.1 * ratio.uncached + 0.02 * ratio.output;
    const tokens =
      cached * ratio.cached + (usage.prompt_tokens - cached) * ratio.uncached + usage.completion_tokens * ratio.output;
    const { level_at_execution: level, charged_usd: charged } = usage.x_market;
    assert.equal(((level * tokens) / mix / 1e6).toFixed(9), charged.toFixed(9));
    const figure = JSON.parse(`{${receipt.text}}`).usage.x_market.charged_usd;
    assert.ok(readFileSync(join(ROOT, 'docs/using.md'), 'utf8').includes(`**${figure}**`));
  });

  it('README.md: two commands open an account and make its key', async () => {
    const [commands] = blocks('sh', 'account create');
    assert.ok(commands);
    const [create = '', ...rest] = commands.text.split('\n');
    const created = await bash(create);
    const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(created) ?? [];
    assert.ok(id, created);
    assert.match(await bash(rest.join('\n').replaceAll('ACCOUNT_ID', id)), /sk-sluice-\w+/);
  });

  it('README.md: the lines for a JavaScript client are answered', async () => {
    const [lines] = blocks('js', 'new OpenAI');
    assert.ok(lines);
    // In the checkout, for that is where the client is installed.
    await mkdir(join(ROOT, 'coverage'), { recursive: true });
    const folder = await mkdtemp(join(ROOT, 'coverage', 'readme-'));
    const script = join(folder, 'client.mjs');
    await writeFile(script, lines.text.replace('http://127.0.0.1:8080', gateway.url));
    try {
      assert.match(await bash(`node ${script}`), /bid: 2,[^}]*charged_usd: 0\.\d+/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('docs/operating.md: the backup of a running gateway passes the audit', async () => {
    const [commands] = blocks('sh', 'VACUUM INTO');
    assert.ok(commands);
    const { DATABASE_URL = '', SLUICE_DATA = '' } = gateway.environment;
    const filledIn = commands.text
      .replaceAll('backup', `${SLUICE_DATA}-backup`)
      .replaceAll('"data/sluice.sqlite"', `"${DATABASE_URL.replace('sqlite:', '')}"`)
      .replaceAll('data/$FOLDER', `${SLUICE_DATA}/$FOLDER`);
    assert.match(await bash(filledIn), /^The books agree: /);
  });

  it('README.md: the configuration of pods of one’s own is a good one', () => {
    const [settings] = blocks('yaml', 'pods:');
    assert.ok(settings);
    const config = parseConfig(settings.text, README, { GPU_1_KEY: 'secret' });
    assert.deepEqual(
      config.pods.map(({ id, slots }) => [id, slots]),
      [['gpu-1', 64]],
    );
  });

  it('every script that is to be run with npm is there', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = files.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => `${file}: npm run ${name}`);
    });
    assert.deepEqual(
      named.filter((name) => !((name.split(' ').at(-1) ?? '') in scripts)),
      [],
    );
  });
});

describe('the command line of the README', () => {
  const readme = readFileSync(join(ROOT, README), 'utf8');
  const rows = readme.split('\n').filter((line) => line.startsWith('| `'));

  it('has a row for every command, with each of its options', async () => {
    const missing = (await commandsBelow([])).flatMap(({ name, options }) => {
      const shown = rows.filter((row) => row.includes(`\`${name}`) || row.includes(`, \`${name}`));
      if (shown.length === 0) return [name];
      return options
        .filter((option) => !shown.some((row) => row.includes(option)))
        .map((option) => `${name} ${option}`);
    });
    assert.deepEqual(missing, []);
  });
});

/** The commands that do something, as `--help` tells of them, but for what every command has. */
async function commandsBelow(words: readonly string[]): Promise<{ name: string; options: string[] }[]> {
  const { stdout } = await run(join(ROOT, 'scripts/sluice'), [...words, '--help']);
  const [, list = ''] = /^Commands:\n([\s\S]*)/m.exec(stdout) ?? [];
  const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  if (names.length > 0) return (await Promise.all(names.map((name) => commandsBelow([...words, name])))).flat();
  const options = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option = '']) => option);
  return [{ name: words.join(' '), options: options.filter((option) => option !== '--json') }];
}

describe('the links of the documents', () => {
  it('lead to files that are there', () => {
    const broken = files.flatMap((file) => {
      const links = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)];
      const targets = links.map(([, target = '']) => target);
      return targets.filter((target) => !existsSync(join(ROOT, dirname(file), target))).map((at) => `${file}: ${at}`);
    });
    assert.deepEqual(broken, []);
  });

  it('reach every page of docs/ from the README, and every decision from their list', () => {
    const [readme, decisions] = [README, 'docs/decisions/README.md'].map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    );
    const unlisted = files.filter((file) => {
      if (file.startsWith('docs/decisions/0')) return !decisions?.includes(`(${basename(file)})`);
      return file.startsWith('docs/') && !readme?.includes(`(${file})`);
    });
    assert.deepEqual(unlisted, []);
  });
});

/** Paths of the keys that are shown and are not there. */
function missingKeys(shown: object, actual: object): string[] {
  const paths = (value: unknown, at = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) => [`${at}/${key}`, ...paths(part, `${at}/${key}`)])
      : [];
  const [expected, found] = [paths(shown), paths(actual)];
  return expected.filter((path) => !found.includes(path));
}
