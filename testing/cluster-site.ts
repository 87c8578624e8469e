/** Sites of gateways that serve one database together, each in a process of its own. */
import { freePort } from './free-port.ts';
import { makeSite, type Site } from './gateway-process.ts';

const SECRET = 'a secret that only the gateways of this test know';

/** Which database, and the site whose data folder it shares; the first one has none beside it. */
export interface Shared {
  readonly databaseUrl: string;
  readonly beside: Site | undefined;
}

/** A site for one more gateway. `environment` counts before what it shares with the others. */
export async function clusterSite(
  configuration: string,
  { databaseUrl, beside }: Shared,
  environment: NodeJS.ProcessEnv = {},
): Promise<Site> {
  const data = beside?.environment.SLUICE_DATA;
  return makeSite(configuration, {
    DATABASE_URL: databaseUrl,
    SLUICE_PEER_ADDRESS: `127.0.0.1:${await freePort()}`,
    SLUICE_PEER_SECRET: SECRET,
    ...(data ? { SLUICE_DATA: data } : {}),
    ...environment,
  });
}
