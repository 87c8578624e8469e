/**
 * What docs/buy/receipts.md shows for signed receipts, run as it stands: our own command, ten lines of Python and ten of
 * JavaScript. The gateway is stopped before anything is verified.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pythonWith } from '#testing/python.ts';
import { shownIn } from '../support/markdown.ts';
import { npmStart, ROOT } from '../support/npm-start.ts';

const run = promisify(execFile);
const { folder: environment, python, skip } = pythonWith(['pyjwt[crypto]==2.15.1', 'cryptography==50.0.2']);
const shown = shownIn('docs/buy/receipts.md', readFileSync(join(ROOT, 'docs/buy/receipts.md'), 'utf8'));

/** The only block in this language that says this. */
function block(language: string, word = ''): string {
  const [only, ...more] = shown.filter((each) => each.language === language && each.text.includes(word));
  assert.ok(only && more.length === 0, language);
  return only.text;
}

describe('signed receipts without our gateway', () => {
  let folder: string;
  let orderId: string;
  let told: string;

  before(async () => {
    // In the checkout, where jose is installed.
    mkdirSync(join(ROOT, 'coverage'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'coverage', 'receipts-'));
    writeFileSync(join(folder, 'verify.py'), block('py'));
    writeFileSync(join(folder, 'verify.mjs'), block('javascript', 'jose'));
    const gateway = await npmStart();
    try {
      const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'tide-70b', messages: [{ role: 'user', content: 'What is a weir?' }] });
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
      orderId = answer.headers.get('x-service-order-id') ?? '';
      const commands = `${block('bash', '/receipt')}${block('bash', '--chain')}`.replaceAll(
        'http://127.0.0.1:8080',
        gateway.url,
      );
      const ours = `set -euo pipefail; npx() { shift; "${ROOT}/scripts/sluice" "$@"; }\n${commands}`;
      const env = { ...gateway.environment, SLUICE_KEY: gateway.key, ORDER: orderId };
      told = (await run('bash', ['-c', ours], { cwd: folder, env })).stdout;
    } finally {
      await gateway.stop();
    }
  });
  after(() => Promise.all([folder, environment].map((made) => rm(made, { recursive: true, force: true }))));

  const javaScript = () => run(process.execPath, ['verify.mjs'], { cwd: folder });
  const inPython = () => run(python, ['verify.py'], { cwd: folder });

  it('sluice verify says that the receipt is right', () => {
    assert.match(told, /^Verified: /);
    assert.ok(told.includes(orderId));
  });

  it('sluice verify follows the chains of a day', () => {
    assert.match(told, /^tide-70b, levels: \d+ rows follow from each other/m);
    assert.match(told, /^tide-70b, quotes: \d+ rows follow from each other/m);
  });

  it('JavaScript verifies it and computes the charge', async () => {
    assert.match((await javaScript()).stdout, new RegExp(`^${orderId} cost \\d+n nano-dollars\n$`));
  });

  it('Python verifies it and computes the same', { skip }, async () => {
    assert.equal((await inPython()).stdout, (await javaScript()).stdout.replace('n nano', ' nano'));
  });

  it('a changed digit fails everywhere', async () => {
    const file = join(folder, 'receipt.json');
    const { jws, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    const [head, payload, signature] = jws.split('.');
    const text = Buffer.from(payload, 'base64url').toString();
    const cheaper = text.replace(/("charged_nano_usd":)(\d)/, (_, name, digit) => `${name}${digit === '9' ? 8 : 9}`);
    assert.notEqual(cheaper, text);
    const forged = [head, Buffer.from(cheaper).toString('base64url'), signature].join('.');
    writeFileSync(file, JSON.stringify({ ...rest, jws: forged }));
    await assert.rejects(javaScript(), /signature verification failed/);
    if (skip === false) await assert.rejects(inPython(), /InvalidSignatureError/);
    const ours = run(join(ROOT, 'scripts/sluice'), ['verify', 'receipt.json', '--jwks', 'jwks.json'], { cwd: folder });
    await assert.rejects(ours, { code: 1 });
  });
});
