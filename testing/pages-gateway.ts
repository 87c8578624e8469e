/**
 * A gateway for tests of its pages: complete, on SQLite, with simulated pods and the clock of this machine, because the
 * browser has no other. Its markets have a past of 30 days, written as an earlier process would have, so that charts
 * have something to draw.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { parseConfig } from '#config/config.ts';
import { STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import { createService } from '#service/service.ts';
import { Past } from '#simulations/demo/past.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { createJournal } from '#storage/journal/journal.ts';
import { freePort } from './free-port.ts';

/** A name that would run as a script where it is not escaped. */
export const HOSTILE_NAME = `<img src=x onerror="document.title='hacked'">'"`;

const lengths = { context_length: 8192, max_output_length: 1024 };
const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 };
const pods = (id: string) => [{ id, simulated: true, slots: 8, seed: 1 }];

/** The markets, and the level around which each moved, in USD. */
const PASTS = { 'tide-70b': 0.42, 'surge-400b': 2.6, 'reef/mini:1': 0.05 };

const CONFIGURATION = {
  default_model: 'tide-70b',
  models: [
    {
      ...{ id: 'tide-70b', type: 'market', display_name: 'Tide 70B', ...lengths, pricing_ratio },
      ...{ floor: 0.01, ceiling: 100, pods: pods('sim-1') },
    },
    {
      ...{ id: 'reef/mini:1', type: 'market', display_name: HOSTILE_NAME, ...lengths, pricing_ratio },
      ...{ floor: 0.01, ceiling: 100 },
    },
    {
      ...{ id: 'harbor-8b', type: 'fixed', display_name: 'Harbor 8B', ...lengths, pods: pods('sim-2') },
      usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 },
    },
    {
      ...{ id: 'surge-400b', type: 'market', display_name: 'Surge 400B', ...lengths, pricing_ratio },
      ...{ floor: 0.1, ceiling: 400, preview: true },
    },
    { id: 'ebb-8b', type: 'market', ...lengths, pricing_ratio, floor: 1, ceiling: 100, deprecated: true },
  ],
  probes: { enabled: true, interval_ms: 60_000 },
};

/** A running gateway. */
export interface PagesGateway {
  readonly url: string;
  /** Closes it; with `keep`, another one may be started on its port and data. */
  stop(): Promise<void>;
}

/** Where a gateway keeps its data, so that another can follow it. */
export interface PagesSite {
  /** Starts a gateway, always on the same port. */
  start(): Promise<PagesGateway>;
  remove(): Promise<void>;
}

/** Makes the database with its past. `settings` replace sections of the configuration. */
export async function makePagesSite(settings: object = {}): Promise<PagesSite> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-pages-'));
  const databaseUrl = `sqlite:${join(folder, 'sluice.sqlite')}`;
  await writePast(databaseUrl, systemClock);
  // Free also while one gateway has stopped and the next has not begun.
  const port = await freePort();
  return {
    async start() {
      const environment = {
        PORT: String(port),
        METRICS_PORT: '0',
        DATABASE_URL: databaseUrl,
        SLUICE_DATA: folder,
        LOG_LEVEL: 'silent',
      };
      const config = parseConfig(JSON.stringify({ ...CONFIGURATION, ...settings }), 'pages.yaml', environment);
      const service = await createService({ config, clock: systemClock, random: seededRandom(1), log: silentLog });
      const { url } = await service.listen();
      return { url, stop: () => service.close() };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function writePast(databaseUrl: string, clock: Clock): Promise<void> {
  const db = openDatabase(databaseUrl);
  await migrate(db);
  const past = new Past(clock.nowMs() - MINUTE_MS);
  await past.open(db);
  const journal = createJournal(db, { clock, log: silentLog });
  const { fromMs, untilMs } = past;
  for (const [id, middle] of Object.entries(PASTS))
    await past.writeMarket(journal, { id, middle, hasLocks: true, lengthMs: untilMs - fromMs });
  await journal.close();
  await writeTraffic(db, fromMs, untilMs);
  await db.close();
}

/** What was sold and probed, in the buckets that settlements and probes would have filled; two of them bad. */
async function writeTraffic({ knex }: Database, fromMs: number, untilMs: number): Promise<void> {
  const begin = fromMs - (fromMs % STATISTICS_BUCKET_MS);
  const length = Math.floor((untilMs - begin) / STATISTICS_BUCKET_MS);
  const times = Array.from({ length }, (_, at) => begin + at * STATISTICS_BUCKET_MS);
  const busy = (atMs: number) => Math.round(90 + 60 * Math.sin((atMs / DAY_MS) * 2 * Math.PI));
  const sold = ['tide-70b', 'harbor-8b'].flatMap((model) =>
    times.map((bucket_ms) => ({
      ...{ model, bucket_ms, requests: busy(bucket_ms), earned: busy(bucket_ms) * 1e6 },
      uncached_tokens: busy(bucket_ms) * 900,
      cached_tokens: busy(bucket_ms) * 5200,
      output_tokens: busy(bucket_ms) * 310,
    })),
  );
  await knex.batchInsert('model_tokens', sold, 100);
  const failed = (at: number) => (at > 0 && at === Math.floor(length / 3) ? 9 : at === length - 20 ? 4 : 0);
  const probed = ['tide-70b', 'harbor-8b'].flatMap((model, row) =>
    times.map((bucket_ms, at) => {
      const failures = row === 0 ? failed(at) : 0;
      const done = 15 - failures;
      const waits = { queue_ms: done * busy(bucket_ms) * 3, queue_ms_max: busy(bucket_ms) * 9 };
      const work = { pipeline_ms: done * 420, pipeline_ms_max: 700, ms_max: 900 + busy(bucket_ms) };
      return { model, bucket_ms, total: 15, failures, done, ...waits, ...work };
    }),
  );
  await knex.batchInsert('probe_buckets', probed, 80);
  await knex.batchInsert('probe_days', daysOf(probed), 80);
}

interface ProbedRow extends Readonly<Record<string, string | number>> {
  readonly model: string;
  readonly bucket_ms: number;
}

/** The same by the day, and the two months before, which only days are left of. */
function daysOf(probed: readonly ProbedRow[]): ProbedRow[] {
  const days = new Map<string, ProbedRow>();
  for (const { model, bucket_ms, ...figures } of probed) {
    const dayMs = bucket_ms - (bucket_ms % DAY_MS);
    for (const atMs of [dayMs, dayMs - 30 * DAY_MS, dayMs - 60 * DAY_MS]) {
      const day = days.get(`${model} ${atMs}`) ?? { model, bucket_ms: atMs };
      const sums = Object.entries(figures).map(([name, value]) => {
        const [before, more] = [Number(day[name] ?? 0), atMs === dayMs || name !== 'failures' ? Number(value) : 0];
        return [name, name.endsWith('_max') ? Math.max(before, more) : before + more];
      });
      days.set(`${model} ${atMs}`, { model, bucket_ms: atMs, ...Object.fromEntries(sums) });
    }
  }
  return [...days.values()];
}
