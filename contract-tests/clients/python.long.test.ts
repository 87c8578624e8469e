/**
 * Python's official clients, unmodified, in an environment that is made for this run and removed after it. They are
 * skipped, with the reason, where Python or its packages cannot be had.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pythonWith } from '#testing/python.ts';
import { shownIn } from '../support/markdown.ts';
import { npmStart, ROOT } from '../support/npm-start.ts';
import { type Address, type ClientDriver, SIGHT, TOOLS } from './client-driver.ts';
import { describeJourneys } from './journeys.ts';
import { PythonProcess } from './python/python-process.ts';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const { folder, python, skip } = pythonWith(['-r', requirements]);
const clients = [
  ['the Python client of OpenAI, in chat', 'chat'],
  ['the Python client of OpenAI, in responses', 'responses'],
  ['the Python client of Anthropic', 'messages'],
  ['LangChain for Python, in responses', 'langchain'],
] as const;
describe('Python’s official clients', () => {
  // Within the suite: removing thousands of files takes longer than a test file may take to end after its tests.
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, shape] of clients) {
    const pythonProcess = skip === false ? new PythonProcess(python, shape) : null;
    describeJourneys(name, (address) => driverOf(pythonProcess, address), { skip, close: () => pythonProcess?.end() });
  }

  test('docs/buy/clients.md and batches.md: the lines for a Python client are answered', { skip }, async () => {
    const pages = ['docs/buy/clients.md', 'docs/buy/batches.md'];
    const shown = pages.flatMap((page) => shownIn(page, readFileSync(join(ROOT, page), 'utf8')));
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

function driverOf(pythonProcess: PythonProcess | null, { url, key, model }: Address): ClientDriver {
  const say = (fields: object) => {
    if (!pythonProcess) throw new Error('There is no Python here.');
    return pythonProcess.say({ url, key, model, tools: TOOLS, sight: SIGHT, ...fields });
  };
  return {
    ask: (prompt) => say({ do: 'ask', prompt }),
    stream: (prompt, leaveAfter = 0) => say({ do: 'stream', prompt, leaveAfter }),
    useTool: async (prompt) => (await say({ do: 'useTool', prompt })).text,
  };
}
