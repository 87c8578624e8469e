/**
 * Python's official clients, unmodified, in an environment that is made for this run and removed after it. They are
 * left out, with the reason, where there is no Python or no way to its packages.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Address, describeJourneys, SIGHT, type Speaker, TOOLS } from './journeys.ts';
import { Speech } from './python/speech.ts';

const INSTALL_MS_MAX = 90_000;
const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
const python = join(folder, 'bin', 'python');
const requirements = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '10'];

const skip = whyNotHere();
const clients = [
  ['the Python client of OpenAI, in chat', 'chat'],
  ['the Python client of OpenAI, in responses', 'responses'],
  ['the Python client of Anthropic', 'messages'],
] as const;
for (const [name, shape] of clients) {
  const speech = skip === false ? new Speech(python, shape) : null;
  describeJourneys(name, (address) => speakerOf(speech, address), { skip, close: () => speech?.end() });
}
after(() => rmSync(folder, { recursive: true, force: true }));

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
