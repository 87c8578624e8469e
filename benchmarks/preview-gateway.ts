/** A complete gateway in this process with its own database, whose markets move every second: previews. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { parseConfig } from '#config/config.ts';
import { createService } from '#service/service.ts';

/** A running gateway. */
export interface PreviewGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it with these markets. `before` can prepare its database. There are no limits. */
export async function openPreviewGateway(
  models: readonly string[],
  before: (databaseUrl: string) => void = () => {},
): Promise<PreviewGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const databaseUrl = `sqlite:${join(folder, 'sluice.sqlite')}`;
  before(databaseUrl);
  const environment = { DATABASE_URL: databaseUrl, SLUICE_DATA: folder, PORT: '0', METRICS_PORT: '0' };
  const config = parseConfig(configOf(models), 'sluice.yaml', environment);
  const service = await createService({ config, clock: systemClock, random: systemRandom, log: silentLog });
  const { url } = await service.listen();
  return {
    url,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function configOf(models: readonly string[]): string {
  const listing = {
    type: 'market',
    owned_by: 'sluice',
    context_length: 131_072,
    max_output_length: 32_768,
    pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
    floor: 0.1,
    ceiling: 100,
    preview: true,
  };
  return JSON.stringify({
    default_model: models[0],
    models: models.map((id) => ({ id, display_name: id, ...listing })),
    probes: { enabled: false },
    limits: { streams_per_address: 1_000_000, public_requests_per_minute_per_address: 1_000_000 },
  });
}
