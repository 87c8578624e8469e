/**
 * Sites that earlier versions left, as `upgrades/` has them: this version opens each, knows what its callers were answered,
 * and goes on with what was running. Their clocks go on when they ended.
 */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { extract } from 'tar';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { eventually } from './support/waiting.ts';
import { type Known, LINES, type Told, tell } from './upgrades/make.ts';

const FOLDER = join(import.meta.dirname, 'upgrades');
const ARCHIVE = '.tar.br';

for (const file of globSync(join(FOLDER, `*${ARCHIVE}`)).sort()) {
  describe(`a site of version ${basename(file, ARCHIVE)}`, () => {
    let site: Site;
    let gateway: GatewayProcess;
    let known: Known;
    const again = async (told: Pick<Told, 'path' | 'body' | 'headers'>) =>
      (await tell(gateway.url, known.apiKey, told)).answer;
    const audited = async () => (await site.command('audit')).json;

    before(async () => {
      ({ site, known } = await unpacked(file));
      const [applied, { findings }] = [await site.command('migrate'), await audited()];
      assert.deepEqual([applied.exitCode, findings], [0, []]);
      gateway = await site.start();
    });
    after(async () => {
      await gateway?.kill();
      site?.remove();
    });

    it('answers each repeated Idempotency-Key as before', async () => {
      for (const told of known.keyed) assertKept(await again(told), told);
    });

    it('has the orders, results and files of before', async () => {
      for (const told of known.reads) assertKept(await again(told), told);
    });

    it('has the candles of before', async () => {
      const [before, now] = [known.candles.answer, await again(known.candles)].map((text) => JSON.parse(text).candles);
      // The last one was not over.
      assert.deepEqual(now.slice(0, before.length - 1), before.slice(0, -1));
      assert.ok(before.some(({ low, high }: { low: number; high: number }) => low < high));
    });

    it('finishes the batch that was running, each line once', async () => {
      let batch = { status: '', output_file_id: '', request_counts: {} };
      await eventually(async () => {
        batch = JSON.parse(await again({ path: `/v1/batches/${known.batchId}` }));
        return batch.status === 'completed';
      }, 'the end of the batch');
      assert.deepEqual(batch.request_counts, { total: LINES, completed: LINES, failed: 0 });
      const output = await again({ path: `/v1/files/${batch.output_file_id}/content` });
      const names = output
        .trimEnd()
        .split('\n')
        .map((line): string => JSON.parse(line).custom_id);
      assert.deepEqual([names.length, new Set(names).size], [LINES, LINES]);
    });

    it('passes the audit', async () => {
      assert.deepEqual((await audited()).findings, []);
    });
  });
}

/** A site with what was kept, whose clock goes on when the earlier gateway ended. */
async function unpacked(file: string): Promise<{ site: Site; known: Known }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  await extract({ cwd: folder, file, brotli: true });
  const known: Known = JSON.parse(readFileSync(join(folder, 'known.json'), 'utf8'));
  const shifted = `const%20now=Date.now;Date.now=()=>now()-${Date.now() - known.endedAtMs}`;
  const site = await makeSite(known.configuration, {
    DATABASE_URL: `sqlite:${join(folder, 'sluice.sqlite')}`,
    SLUICE_DATA: join(folder, 'data'),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,${shifted}`,
  });
  const remove = () => {
    site.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  return { site: { ...site, remove }, known };
}

/** An answer may say more than it did. */
function assertKept(now: string, { answer, path }: Told): void {
  assert.partialDeepStrictEqual(meant(now), meant(answer), path);
}

/** An object, the lines of a file, or the text of a stream and its usage: one that is read again has fewer frames. */
function meant(answer: string): unknown {
  const frames = answer.split('\n').filter((line) => line.startsWith('data: {'));
  if (frames.length === 0)
    return answer
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const chunks: Chunk[] = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
  return [chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join(''), chunks.at(-1)];
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}
