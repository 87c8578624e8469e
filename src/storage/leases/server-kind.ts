/**
 * Servers on which a gateway does not serve. On some the fence does not hold: it needs row locks that count for every
 * writer. A cluster in which several nodes write keeps row locks on each node separately, and compares only changed
 * rows. Others take only short messages: the largest request that a gateway takes would not fit one.
 */
import type { Database } from '../database/database.ts';
import { DatabaseRefused, MessagesTooShort } from '../database/refusal.ts';

/** What a server must take in one message: a request of 8 MiB is 10.7 in base64. The default of MariaDB; MySQL has 64. */
const MESSAGE_BYTES_MIN = 16 * 1024 * 1024;

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
  if (is('wsrep_on', /^(on|1)$/i) && Number(facts.get('wsrep_cluster_size')) > 1) {
    return { what: 'a Galera cluster, whose nodes all write', hasFence: true };
  }
  if (is('group_replication_group_name', /./) && is('group_replication_single_primary_mode', /^(off|0)$/i)) {
    return { what: 'Group Replication with several primaries', hasFence: true };
  }
  return null;
}

/**
 * Null, or a warning for the log: one gateway may serve where the fence does not hold, as long as there is no second.
 * Rejects with DatabaseRefused where there is no fence at all, where `several` gateways would not be kept apart, or where
 * messages must be shorter than 16 MiB.
 */
export async function checkServer(db: Database, several: boolean): Promise<string | null> {
  const facts = await factsOf(db);
  const bytesMax = Number(facts.get('max_allowed_packet') ?? MESSAGE_BYTES_MIN);
  if (bytesMax < MESSAGE_BYTES_MIN) throw new MessagesTooShort(bytesMax, MESSAGE_BYTES_MIN);
  const unfenced = unfencedServer(facts);
  if (unfenced === null) return null;
  const { what, hasFence } = unfenced;
  if (several) throw new DatabaseRefused(`it is ${what}; several gateways need MySQL or MariaDB with one primary`);
  if (!hasFence) throw new DatabaseRefused(`it is ${what}; use MySQL or MariaDB with one primary`);
  return (
    `The database is ${what}: a second gateway that is started by mistake may not be kept out. ` +
    'Use one primary, or make sure that there never are two gateways.'
  );
}

async function factsOf({ knex }: Database): Promise<ServerFacts> {
  const groups = ['group_replication_group_name', 'group_replication_single_primary_mode'];
  const names = ['version', 'wsrep_on', ...groups, 'max_allowed_packet'];
  const [variables] = await knex.raw(
    `SHOW VARIABLES WHERE Variable_name IN (${names.map(() => '?').join(', ')})`,
    names,
  );
  const [statuses] = await knex.raw("SHOW STATUS LIKE 'wsrep_cluster_size'");
  const facts = new Map<string, string>();
  for (const row of [...variables, ...statuses]) {
    facts.set(String(row.Variable_name).toLowerCase(), String(row.Value));
  }
  return facts;
}
