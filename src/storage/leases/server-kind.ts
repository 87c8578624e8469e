/**
 * Which fence a server needs, and servers on which a gateway does not serve. A fence that only locks needs row locks that
 * count for every writer. A cluster in which several nodes write keeps them on each node for itself, and compares only what
 * was changed: on Galera the fence writes. Other servers take only short messages: the largest request that a gateway takes would not fit one.
 */
import type { Database } from '../database/database.ts';
import { DatabaseRefused, MessagesTooShort } from '../database/refusal.ts';
import type { Row } from '../database/values.ts';
import type { FenceKind } from './leases.ts';

/** What a server must take in one message: a request of 8 MiB is 10.7 in base64. The default of MariaDB; MySQL has 64. */
const MESSAGE_BYTES_MIN = 16 * 1024 * 1024;

/** The bit of wsrep_sync_wait by which a read waits for what other nodes have committed. */
const READS = 1;
const LATE_READS =
  'it is a Galera node whose reads do not wait for what other nodes have committed; ' +
  'set wsrep_sync_wait = 15 under [mysqld] on every node and restart it';

/** What a server answers about itself: variables and their values, with names in lower case. */
export type ServerFacts = ReadonlyMap<string, string>;

/** Why two gateways would not be kept apart. */
export interface UnfencedServer {
  /** What it is, worded to follow "it is". */
  readonly what: string;
  /** Whether it has the statement of the fence at all. */
  readonly hasFence: boolean;
}

/** Null for a server with one writable primary, on which the fence holds. */
export function unfencedServer(facts: ServerFacts): UnfencedServer | null {
  const is = (name: string, value: RegExp) => value.test(facts.get(name) ?? '');
  if (is('version', /tidb/i)) return { what: 'TiDB, which has no shared row locks', hasFence: false };
  if (is('group_replication_group_name', /./) && is('group_replication_single_primary_mode', /^(off|0)$/i)) {
    return { what: 'Group Replication with several primaries', hasFence: true };
  }
  return null;
}

/**
 * The fence for this server, and perhaps a warning for the log: one gateway may serve where no fence is known to hold, as
 * long as there is no second. Rejects with DatabaseRefused where there is no fence at all, where `several` gateways would not be kept apart, where
 * messages must be shorter than 16 MiB, or beside others where reads are late.
 */
export async function checkServer(
  db: Database,
  several: boolean,
): Promise<{ readonly fence: FenceKind; readonly warning: string | null }> {
  const facts = await factsOf(db);
  const bytesMax = Number(facts.get('max_allowed_packet') ?? MESSAGE_BYTES_MIN);
  if (bytesMax < MESSAGE_BYTES_MIN) throw new MessagesTooShort(bytesMax, MESSAGE_BYTES_MIN);
  if (/^(on|1)$/i.test(facts.get('wsrep_on') ?? '')) {
    if (several && (Number(facts.get('wsrep_sync_wait')) & READS) === 0) throw new DatabaseRefused(LATE_READS);
    return { fence: 'writes', warning: null };
  }
  const unfenced = unfencedServer(facts);
  if (unfenced === null) return { fence: 'locks', warning: null };
  const { what, hasFence } = unfenced;
  if (several) throw new DatabaseRefused(`it is ${what}; several gateways need MySQL or MariaDB with one primary`);
  if (!hasFence) throw new DatabaseRefused(`it is ${what}; use MySQL or MariaDB with one primary`);
  const warning =
    `The database is ${what}: a second gateway that is started by mistake may not be kept out. ` +
    'Use one primary, or make sure that there never are two gateways.';
  return { fence: 'locks', warning };
}

async function factsOf({ knex }: Database): Promise<ServerFacts> {
  const groups = ['group_replication_group_name', 'group_replication_single_primary_mode'];
  const names = ['version', 'wsrep_on', 'wsrep_sync_wait', ...groups, 'max_allowed_packet'];
  const [variables] = await knex.raw(
    `SHOW VARIABLES WHERE Variable_name IN (${names.map(() => '?').join(', ')})`,
    names,
  );
  return new Map(variables.map((row: Row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]));
}
