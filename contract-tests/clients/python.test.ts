/**
 * Python's official clients, unmodified, in an environment that is made for this run and removed after it. They are
 * left out, with the reason, where there is no Python or no way to its packages.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { shownIn } from '../support/markdown.ts';
import { npmStart, ROOT } from '../support/npm-start.ts';
import { type Address, describeJourneys, SIGHT, type Speaker, TOOLS } from './journeys.ts';
import { Speech } from './python/speech.ts';

const run = promisify(execFile);
const INSTALL_MS_MAX = 90_000;
const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
const python = join(folder, 'bin', 'python');
const requirements = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
// Not compiled, which halves the files: what is imported is compiled then.
const PIP = '-m pip install --quiet --no-compile --disable-pip-version-check --retries 1 --timeout 10'.split(' ');

const skip = whyNotHere();
const clients = [
  ['the Python client of OpenAI, in chat', 'chat'],
  ['the Python client of OpenAI, in responses', 'responses'],
  ['the Python client of Anthropic', 'messages'],
] as const;
describe('Python’s official clients', () => {
  // Within the suite: thousands of files take longer to remove than a file has to end once its tests are over.
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, shape] of clients) {
    const speech = skip === false ? new Speech(python, shape) : null;
    describeJourneys(name, (address) => speakerOf(speech, address), { skip, close: () => speech?.end() });
  }

  test('README.md: the lines for a Python client are answered', { skip }, async () => {
    const shown = shownIn('README.md', readFileSync(join(ROOT, 'README.md'), 'utf8'));
    const lines = shown.filter(({ language }) => language === 'python').map(({ text }) => text);
    assert.equal(lines.length, 2);
    const messages = [{ role: 'user', content: 'What is a weir?' }];
    const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { messages } };
    writeFileSync(join(folder, 'requests.jsonl'), `${JSON.stringify(line)}\n`);
    const gateway = await npmStart();
    try {
      const script = lines.join('\n').replace('http://127.0.0.1:8080', gateway.url);
      const env = { ...process.env, SLUICE_KEY: gateway.key };
      const { stdout } = await run(python, ['-c', script], { cwd: folder, env });
      assert.match(stdout, /'bid': 2, 'charged_usd': [^}]*\}\n[\s\S]*^Batch\(.*'bid': 0\.5/m);
    } finally {
      await gateway.stop();
    }
  });
});

/** Makes the environment; the reason when that cannot be done. */
function whyNotHere(): string | false {
  const steps = [
    ['python3', ['-m', 'venv', folder]],
    [python, [...PIP, '-r', requirements]],
  ] as const;
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX });
    if (status !== 0) return `${command} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr.slice(-300)}`;
  }
  return false;
}

function speakerOf(speech: Speech | null, { url, key, model }: Address): Speaker {
  const say = (fields: object) => {
    if (!speech) throw new Error('There is no Python here.');
    return speech.say({ url, key, model, tools: TOOLS, sight: SIGHT, ...fields });
  };
  return {
    ask: (prompt) => say({ do: 'ask', prompt }),
    stream: (prompt, leaveAfter = 0) => say({ do: 'stream', prompt, leaveAfter }),
    useTool: async (prompt) => (await say({ do: 'useTool', prompt })).text,
  };
}
