/**
 * What README.md and docs/ show is run unchanged, against a gateway started as they say. Only what a reader fills in is
 * filled in: the address, the key, the id of an account.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseConfig } from '#testing/judged-config.ts';
import { anchorsOf, linksOf, shownIn } from './support/markdown.ts';
import { npmStart, ROOT, type StartedGateway } from './support/npm-start.ts';

const run = promisify(execFile);
const README = 'README.md';
const files = [README, 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const shown = files.flatMap((file) => shownIn(file, textOf(file)));
const blocks = (language: string, word: string) =>
  shown.filter((block) => block.language === language && block.text.includes(word));

/** A refusal fails the command; in a checkout `npx sluice` needs no registry. */
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

  /** Runs commands as a reader would; returns what they print. */
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
  it('includes more than two requests', () => assert.ok(requests.length > 2));
  for (const { place, text } of requests) {
    it(`${place}: a request that is answered`, async () => {
      const answer: unknown = JSON.parse(await bash(text));
      assert.ok(typeof answer === 'object' && answer !== null, text);
      // An order always has this key, null unless it failed.
      assert.equal(('error' in answer ? answer.error : null) ?? null, null, text);
    });
  }

  it('README.md: the receipt has the keys that are shown', async () => {
    const [request] = blocks('sh', 'What is a sluice?');
    const [receipt] = blocks('json', '"usage"');
    assert.ok(request && receipt);
    const { usage } = JSON.parse(await bash(request.text));
    assert.deepEqual(missingKeys(JSON.parse(`{${receipt.text}}`).usage, usage), []);
  });

  it('docs/buy/receipts.md: a receipt recomputed by hand equals the charge and the figure in the README', async () => {
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
    assert.ok(textOf('docs/buy/receipts.md').includes(`**${figure}**`));
  });

  it('docs/sell/money.md: two commands open an account and make its key', async () => {
    const [commands] = blocks('sh', 'account create');
    assert.ok(commands);
    const [create = '', ...rest] = commands.text.split('\n');
    const created = await bash(create);
    const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(created) ?? [];
    assert.ok(id, created);
    assert.match(await bash(rest.join('\n').replaceAll('ACCOUNT_ID', id)), /sk-sluice-\w+/);
  });

  it('docs/buy/bidding.md: the prices of the worked examples follow from level and ratio', () => {
    const page = textOf('docs/buy/bidding.md');
    const cellsOf = (name: string) => {
      const [, cells = ''] = new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm').exec(page) ?? [];
      return cells.split(' | ').map((cell) => cell.split(/ : |, /).map((number) => Number(number.replace('$', ''))));
    };
    for (const [column, [cached = 0, uncached = 0, output = 0]] of cellsOf('`pricing_ratio`').entries()) {
      const [level = 0] = cellsOf('level')[column] ?? [];
      const mix = 0.9 * cached + 0.1 * uncached + 0.02 * output;
      const charge = (hits: number, misses: number, outputs: number) =>
        Number(((level * (hits * cached + misses * uncached + outputs * output)) / mix / 1e6).toFixed(9));
      const [first, second, third] = [charge(1e6, 0, 0), charge(0, 1e6, 0), charge(0, 0, 1e6)];
      assert.deepEqual(cellsOf('USD per 1M tokens')[column], [first, second, third]);
      assert.deepEqual(cellsOf('the chat, nothing cached')[column], [charge(0, 1000, 300)]);
      assert.deepEqual(cellsOf('the chat, 800 input tokens cached')[column], [charge(800, 200, 300)]);
    }
  });

  const clients = blocks('js', 'await ');
  it('are lines for three JavaScript clients', () => assert.equal(clients.length, 3));
  for (const { place, text } of clients) {
    it(`${place}: the lines for a JavaScript client are answered`, async () => {
      // In the checkout, where the client is installed.
      await mkdir(join(ROOT, 'coverage'), { recursive: true });
      const folder = await mkdtemp(join(ROOT, 'coverage', 'using-'));
      const script = join(folder, 'client.mjs');
      await writeFile(script, text.replace('http://127.0.0.1:8080', gateway.url));
      try {
        assert.match(await bash(`node ${script}`), /bid: 2,[^}]*charged_usd: 0\.\d+/);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  it('docs/buy/streams.md: a stream that was cut goes on after the number', async () => {
    const [commands] = blocks('bash', 'starting_after');
    assert.ok(commands);
    const told = await bash(commands.text);
    assert.match(told, /^(:.*\n)*id: 3\ndata: \{/);
    assert.match(told, /\ndata: \[DONE\]\n\n$/);
  });

  it('docs/buy/streams.md: OpenAI’s client follows a response that has a key', async () => {
    const [lines] = blocks('mjs', 'responses.retrieve');
    assert.ok(lines);
    await mkdir(join(ROOT, 'coverage'), { recursive: true });
    const folder = await mkdtemp(join(ROOT, 'coverage', 'using-'));
    const script = join(folder, 'client.mjs');
    await writeFile(script, lines.text.replace('http://127.0.0.1:8080', gateway.url));
    try {
      assert.match(await bash(`node ${script}`), /^2 response\.\S+\n3 [\s\S]*\n\d+ response\.completed\ncompleted\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('docs/sell/backup.md: the backup of a running gateway passes its audit, and can be restored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-backup-'));
    for (const [line, told] of [
      ['sluice backup', / was written: /],
      ['sluice restore', / was restored: /],
    ] as const) {
      const [commands] = blocks('sh', line);
      assert.ok(commands);
      const filledIn = commands.text
        .replace(/\S+\.tar/, join(folder, 'backup.tar'))
        .replace('sqlite:data/', `sqlite:${folder}/`)
        .replace('SLUICE_DATA=data', `SLUICE_DATA=${folder}/data`);
      assert.match(await bash(filledIn), told);
    }
    await rm(folder, { recursive: true });
  });

  it('docs/sell/pods.md: the configuration of one’s own pods is valid', () => {
    const [settings] = blocks('yaml', 'pods:');
    assert.ok(settings);
    const config = parseConfig(settings.text, settings.place, { GPU_1_KEY: 'secret' });
    assert.deepEqual(
      config.pods.map(({ id, slots }) => [id, slots]),
      [['gpu-1', 64]],
    );
  });

  it('every npm script that is named exists', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const named = files.flatMap((file) => {
      return [...textOf(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => `${file}: npm run ${name}`);
    });
    assert.deepEqual(
      named.filter((name) => !((name.split(' ').at(-1) ?? '') in scripts)),
      [],
    );
  });
});

describe('docs/sell/command-line.md', () => {
  const rows = textOf('docs/sell/command-line.md')
    .split('\n')
    .filter((line) => line.startsWith('- `'));

  it('has a line for every command, with each of its options', async () => {
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

/** The commands that do something, as `--help` lists them, without the options that every command has. */
async function commandsBelow(words: readonly string[]): Promise<{ name: string; options: string[] }[]> {
  const { stdout } = await run(join(ROOT, 'scripts/sluice'), [...words, '--help']);
  const [, list = ''] = /^Commands:\n([\s\S]*)/m.exec(stdout) ?? [];
  const names = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  if (names.length > 0) return (await Promise.all(names.map((name) => commandsBelow([...words, name])))).flat();
  const options = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option = '']) => option);
  return [{ name: words.join(' '), options: options.filter((option) => option !== '--json') }];
}

describe('docs/sell/threat-model.md', () => {
  it('names tests that exist, by their titles', () => {
    const page = textOf('docs/sell/threat-model.md');
    const named = [...page.matchAll(/\["([^"]+)"\]\(([^)]+)\)/g)].map(([, title = '', target = '']) => {
      return { title, target: join('docs/sell', target) };
    });
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter(({ title, target }) => !target.endsWith('.test.ts') || !textOf(target).includes(title)),
      [],
    );
  });

  it('has a test for everything that is said to be stopped', () => {
    const rows = textOf('docs/sell/threat-model.md').matchAll(/^\| could try .*\n.*\n((?:\|.*\n)+)/gm);
    const untested = [...rows]
      .flatMap(([, lines = '']) => lines.trimEnd().split('\n'))
      .filter((row) => !row.includes('["'));
    assert.deepEqual(untested, []);
  });
});

describe('README.md', () => {
  it('has at most 700 words', () => assert.ok(textOf(README).trim().split(/\s+/).length <= 700));

  it('shows the picture drawn by the simulation', async () => {
    await run(process.execPath, [join(ROOT, 'simulations/readme-picture.ts'), '--check']);
  });
});

describe('docs/change/dependencies.md', () => {
  it('lists every package of package.json', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(textOf('package.json'));
    const page = textOf('docs/change/dependencies.md');
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });
});

describe('the links of the documents', () => {
  const links = files.flatMap((file) =>
    linksOf(textOf(file)).map(({ target, anchor }) => ({
      file,
      target: target && join(dirname(file), target),
      anchor,
    })),
  );

  it('lead to existing files, and to headings in them', () => {
    const broken = links.filter(({ file, target, anchor }) => {
      const page = target || file;
      if (!existsSync(join(ROOT, page))) return true;
      return anchor !== '' && !anchorsOf(textOf(page)).includes(anchor);
    });
    assert.deepEqual(broken, []);
  });

  it('reach every page of docs/ from the README, and every decision from their list', () => {
    const reached = new Set([README]);
    // Iterating over a set reaches what is added meanwhile.
    for (const page of reached) for (const { file, target } of links) if (file === page && target) reached.add(target);
    const decisions = textOf('docs/decisions/README.md');
    const unreached = files.filter((file) => {
      if (file.startsWith('docs/decisions/0')) return !decisions.includes(`(${basename(file)})`);
      return !reached.has(file);
    });
    assert.deepEqual(unreached, []);
  });
});

/** Paths of the shown keys that are missing. */
function missingKeys(shown: object, actual: object): string[] {
  const paths = (value: unknown, at = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) => [`${at}/${key}`, ...paths(part, `${at}/${key}`)])
      : [];
  const [expected, found] = [paths(shown), paths(actual)];
  return expected.filter((path) => !found.includes(path));
}
