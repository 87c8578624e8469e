/**
 * A site with a database of its own, for tests that run on both kinds: on the MariaDB of TEST_DATABASE_URL if there is
 * one (scripts/with-mariadb starts one), else on SQLite.
 */
import { testedDatabases } from './databases.ts';
import { makeSite, type Site } from './gateway-process.ts';

/** Makes it, as `makeSite` does. Its database is dropped with it. */
export async function makeOwnSite(configuration: string, environment: NodeJS.ProcessEnv = {}): Promise<Site> {
  const server = testedDatabases.find(({ name, skip }) => name === 'MariaDB' && skip === false);
  if (!server) return makeSite(configuration, environment);
  const { url, drop } = await server.make();
  const site = await makeSite(configuration, { ...environment, DATABASE_URL: url });
  return {
    ...site,
    remove() {
      site.remove();
      void drop();
    },
  };
}
