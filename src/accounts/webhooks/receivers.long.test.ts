/** The receivers that docs/buy/webhooks.md shows, as they are written there: each takes what is signed, and nothing else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#base/clock.ts';
import { bodyOf, testOf } from '#storage/journal/webhook-event.ts';
import { freePort } from '#testing/free-port.ts';
import { type PythonEnvironment, pythonWith } from '#testing/python.ts';
import { openConnections, type Sent } from './sender.ts';
import { newSigningSecret, signedHeaders } from './signature.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOC = readFileSync(join(ROOT, 'docs/buy/webhooks.md'), 'utf8');

function blockOf(language: string): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n([^\`]*webhook[^\`]*)\`\`\``).exec(DOC) ?? [];
  assert.match(text, /9000/, `docs/buy/webhooks.md has a receiver in ${language}`);
  return text;
}

describe('a receiver as docs/buy/webhooks.md shows it', () => {
  let folder: string;
  let python: PythonEnvironment;
  before(() => {
    // In the checkout, where the library for Node is installed.
    mkdirSync(join(ROOT, 'coverage'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'coverage', 'receiver-'));
    python = pythonWith(['standardwebhooks==1.1.0']);
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(python.folder, { recursive: true, force: true });
  });

  for (const [name, language, file] of [
    ['Node', 'javascript', 'receiver.mjs'],
    ['Python', 'python', 'receiver.py'],
  ] as const) {
    test(`in ${name} takes what is signed with its secret, also while that is replaced, and nothing else`, async () => {
      if (name === 'Python') assert.equal(python.skip, false);
      const port = await freePort();
      const script = join(folder, file);
      writeFileSync(script, blockOf(language).replace('9000', String(port)));
      const secret = newSigningSecret();
      const command = name === 'Node' ? process.execPath : python.python;
      const child = spawn(command, [script], { env: { ...process.env, WEBHOOK_SECRET: secret }, stdio: 'ignore' });
      try {
        const send = (secrets: readonly string[]) => sendTo(port, secrets);
        let first = await send([secret]);
        while ('error' in first && child.exitCode === null) {
          await pause(20);
          first = await send([secret]);
        }
        assert.deepEqual(first, { status: 204 });
        assert.deepEqual(await send([newSigningSecret(), secret]), { status: 204 });
        assert.deepEqual(await send([newSigningSecret()]), { status: 401 });
      } finally {
        const ended = child.exitCode === null ? once(child, 'exit') : null;
        child.kill('SIGKILL');
        await ended;
      }
    });
  }
});

async function sendTo(port: number, secrets: readonly string[]): Promise<Sent> {
  const nowMs = systemClock.nowMs();
  const happening = testOf('endpoint', 'evt_1', nowMs);
  const body = bodyOf(happening);
  const connections = openConnections(`http://127.0.0.1:${port}/`, { clock: systemClock, allow: ['127.0.0.1'] });
  const headers = ['content-type', 'application/json', ...signedHeaders(secrets, { eventId: 'evt_1', body }, nowMs)];
  try {
    return await connections.post(headers, body);
  } finally {
    await connections.close();
  }
}
