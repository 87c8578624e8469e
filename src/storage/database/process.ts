/**
 * Which process holds a lease, written so exactly that another one on the same machine can prove that it has ended.
 * Without this proof a gateway that was killed would look alive until its beat is old, and every restart would wait for
 * that. The text is `host pid start boot namespace`, with a hyphen for what the system does not report.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const UNKNOWN = '-';

/** This process, as `isGone` and `nameOf` read it; at most 512 characters. */
export function thisProcess(): string {
  const host = hostname().slice(0, 255).replaceAll(/\s/g, '_') || UNKNOWN;
  return [host, process.pid, startOf(process.pid), ...machine()].join(' ');
}

/**
 * Whether the process has certainly ended. False also when this cannot be known: on another machine, in another
 * container, or without /proc.
 */
export function isGone(holder: string): boolean {
  const [, pid = UNKNOWN, start = UNKNOWN, ...itsMachine] = holder.split(' ');
  if (itsMachine.join(' ') !== machine().join(' ')) return false;
  if ([pid, start, ...itsMachine].includes(UNKNOWN)) return false;
  if (!exists(Number(pid))) return true;
  const now = startOf(Number(pid));
  return now !== UNKNOWN && now !== start;
}

/** Its process id, if it lives on this machine; null when it does not, or when that cannot be known. */
export function pidHere(holder: string): number | null {
  const [, pid = UNKNOWN, start = UNKNOWN, ...itsMachine] = holder.split(' ');
  if (itsMachine.join(' ') !== machine().join(' ')) return null;
  const isKnown = ![pid, start, ...itsMachine].includes(UNKNOWN);
  return isKnown && exists(Number(pid)) && startOf(Number(pid)) === start ? Number(pid) : null;
}

/** The process for people: `process 4711 on web-1`. */
export function nameOf(holder: string): string {
  const [host, pid] = holder.split(' ');
  return `process ${pid} on ${host}`;
}

/** Signal 0 finds processes of other users too, which a system may hide in /proc. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function startOf(pid: number): string {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat === UNKNOWN ? UNKNOWN : startIn(stat);
}

/**
 * When a process started, in ticks since the boot, by its `/proc/PID/stat`: ids are used again. `ended` when only its
 * parent must notice yet. While another thread of it hangs in a system call, its connections and locks are still open.
 */
export function startIn(stat: string): string {
  // The name of the program is in brackets and may be anything; the state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', threads] = [fields[0], Number(fields[17])];
  return /[ZX]/.test(state) && threads <= 1 ? 'ended' : (fields[19] ?? UNKNOWN);
}

/** The boot of this machine, and the namespace of its process ids: a container has its own. */
function machine(): readonly [boot: string, namespace: string] {
  return [
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    read(() => readlinkSync('/proc/self/ns/pid')),
  ];
}

function read(from: () => string): string {
  try {
    return from();
  } catch {
    return UNKNOWN;
  }
}
