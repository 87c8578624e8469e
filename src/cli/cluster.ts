/** `sluice cluster`: which gateways serve the database, how old their beats are, and who owns which market and job. */
import { type ReportedLease, reportLeases } from '#storage/leases/report.ts';
import type { OperatorStore } from './operator-store.ts';
import { type CommandResult, faint, table, wrong } from './output.ts';

/** A beat above this is late: a gateway beats twice a second. */
const LATE_MS = 3_000;

/** Shows gateways, markets and jobs; exits 1 when a market or job has no living holder. */
export async function showCluster({ db }: OperatorStore): Promise<CommandResult> {
  const leases = await reportLeases(db);
  const of = (kind: string) => leases.filter(({ name }) => name.startsWith(`${kind}:`));
  const gateways = of('gateway').filter(({ holder }) => holder !== null);
  const markets = of('market');
  const jobs = of('job').filter(({ name }) => name !== 'job:start');
  const isHeld = ({ holder, beatAgeMs }: ReportedLease) =>
    holder !== null && beatAgeMs !== null && Math.abs(beatAgeMs) <= LATE_MS;
  // A market that was freed and that nobody has taken is not sold any more, or is taken within two beats.
  const orphans = [...markets.filter(({ holder }) => holder !== null), ...jobs].filter((lease) => !isHeld(lease));
  return {
    json: { gateways: gateways.map(wire), markets: markets.map(wire), jobs: jobs.map(wire) },
    text: textOf({ gateways, shared: [...markets, ...jobs], orphans, isServer: db.address.type === 'mysql' }),
    exitCode: gateways.length > 0 && orphans.length > 0 ? 1 : 0,
  };
}

interface Shown {
  readonly gateways: readonly ReportedLease[];
  readonly shared: readonly ReportedLease[];
  readonly orphans: readonly ReportedLease[];
  readonly isServer: boolean;
}

function textOf({ gateways, shared, orphans, isServer }: Shown): string {
  if (!isServer) return 'SQLite is served by one gateway at a time; it has no leases to show.';
  if (gateways.length === 0) return 'No gateway serves this database.';
  const parts = [
    table(
      ['GATEWAY', 'REACHED AT', 'PROCESS', 'LAST BEAT', 'EPOCH', 'PROTOCOL', 'LISTING'],
      gateways.map((lease) => [
        lease.name.slice('gateway:'.length),
        lease.address ?? '',
        processOf(lease),
        ageOf(lease),
        String(lease.epoch),
        lease.protocol === null ? '' : String(lease.protocol),
        lease.listingHash?.slice(0, 8) ?? '',
      ]),
    ),
  ];
  if (shared.length > 0) {
    const rows = shared.map((lease) => [lease.name, lease.holder ?? '', ageOf(lease), String(lease.epoch)]);
    parts.push(table(['LEASE', 'GATEWAY', 'LAST BEAT', 'EPOCH'], rows));
  }
  const hashes = new Set(gateways.map(({ listingHash }) => listingHash));
  if (hashes.size > 1)
    parts.push(wrong('The gateways have different models, pods or prices: each market goes by the file of its owner.'));
  if (orphans.length > 0) {
    const names = orphans.map(({ name }) => name).join(', ');
    parts.push(wrong(`Nobody who beats holds ${names}; another gateway takes it within some seconds.`));
  }
  return parts.join('\n\n');
}

function processOf({ process }: ReportedLease): string {
  const [host, pid] = process?.split(' ') ?? [];
  return host === undefined || pid === undefined ? '' : `${pid} on ${host}`;
}

function ageOf({ beatAgeMs }: ReportedLease): string {
  return beatAgeMs === null ? faint('none') : `${(beatAgeMs / 1000).toFixed(1)} s ago`;
}

function wire({ name, epoch, holder, address, protocol, listingHash, beatAgeMs, ...lease }: ReportedLease) {
  return {
    ...{ name, epoch, holder, process: lease.process, address, protocol },
    ...{ listing_hash: listingHash, beat_age_ms: beatAgeMs },
  };
}
