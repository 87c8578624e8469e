/**
 * Which fence a server needs, and servers on which a gateway does not serve. A fence that only locks needs row locks that
 * count for every writer. A cluster in which several nodes write keeps row locks on each node separately, and compares only
 * changed rows: on Galera the fence writes. Other servers take only short messages, which the largest request would not
 * fit, or they are too old, read-only, or do not let a session set its sql_mode.
 */
import type { Database } from '../database/database.ts';
import { SQL_MODE } from '../database/mysql-connection.ts';
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
 * long as there is no second. Rejects with DatabaseRefused where there is no fence at all, where `several` gateways would
 * not be kept apart or would read late, where messages must be shorter than 16 MiB, or where the server has another fault
 * that `faultOf` names.
 */
export async function checkServer(
  db: Database,
  several: boolean,
): Promise<{ readonly fence: FenceKind; readonly warning: string | null }> {
  const facts = await factsOf(db);
  const fault = faultOf(facts);
  if (fault !== null) throw new DatabaseRefused(fault);
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

/** Since these versions a CHECK of a table is kept, and a SELECT can skip locked rows. */
const VERSION_MIN = { mysql: [8, 0, 16], mariadb: [10, 6, 0] } as const;

/** What makes a server of no use, with the fix, worded for DatabaseRefused; null for nothing. */
function faultOf(facts: ServerFacts): string | null {
  const fact = (name: string) => facts.get(name) ?? '';
  const version = fact('version');
  if (isOlder(version)) return `its version is ${version}; use MySQL 8.0.16, MariaDB 10.6 or a newer one`;
  const readOnly = ['read_only', 'super_read_only', 'innodb_read_only'].find((name) => !/^(|off|0)$/i.test(fact(name)));
  if (readOnly !== undefined)
    return `its ${readOnly} is ${fact(readOnly)}, as on a replica; set DATABASE_URL to the primary, or end ${readOnly} there`;
  // A session that was just set up has another one only if something between changes what is sent.
  const mode = fact('sql_mode');
  if (facts.has('sql_mode') && !SQL_MODE.split(',').every((part) => mode.split(',').includes(part)))
    return `its sql_mode stays '${mode}' for this user; let a session set it, as a proxy or firewall may not`;
  return null;
}

function isOlder(version: string): boolean {
  const numbers = /^(?:5\.5\.5-)?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const least = /mariadb/i.test(version) ? VERSION_MIN.mariadb : VERSION_MIN.mysql;
  // The number that TiDB names is of the MySQL that it resembles.
  if (!numbers || /tidb/i.test(version)) return false;
  const at = least.findIndex((number, index) => number !== numbers[index]);
  return at >= 0 && (numbers[at] ?? 0) < (least[at] ?? 0);
}

/** Rejects where this user may not change rows: the first sweep would fail, hours after the start. */
export async function checkRights({ knex }: Pick<Database, 'knex'>): Promise<void> {
  // Rights are checked before rows are.
  for (const sql of [
    'INSERT INTO counters (name, value) SELECT name, value FROM counters WHERE 1 = 0',
    'UPDATE counters SET value = value WHERE 1 = 0',
    'DELETE FROM counters WHERE 1 = 0',
  ])
    await knex.raw(sql);
}

async function factsOf({ knex }: Database): Promise<ServerFacts> {
  const groups = ['group_replication_group_name', 'group_replication_single_primary_mode'];
  const readOnly = ['read_only', 'super_read_only', 'innodb_read_only'];
  const names = ['version', 'wsrep_on', 'wsrep_sync_wait', ...groups, 'max_allowed_packet', ...readOnly, 'sql_mode'];
  const [variables] = await knex.raw(
    `SHOW VARIABLES WHERE Variable_name IN (${names.map(() => '?').join(', ')})`,
    names,
  );
  return new Map(variables.map((row: Row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]));
}
