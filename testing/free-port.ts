/**
 * Ports for processes that need one before they start. The tests' files run beside each other, and a gateway
 * takes its port a while after it was chosen, so each choice is claimed in a folder that all of them see.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** How many there are to choose from. */
const COUNT = 12_000;
/** Below the ports that this system assigns to outgoing connections, which could take a port between two uses of it. */
const END = Math.min(32_000, firstAssigned());
const PORTS = { first: Math.max(END - COUNT, 2_000), end: END };
/** A folder for each user, since another's could not be written. */
export const CLAIMS = join(tmpdir(), `sluice-ports-${userInfo().username}`);
const own: string[] = [];
process.once('exit', () => own.map((file) => rmSync(file, { force: true })));

/**
 * A port on which nobody listens now, and which no other caller is given while the process `owner` lives. It stays
 * free unless a process asks for this exact port.
 */
export async function freePort(owner = process.pid): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true });
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (claim(port, owner) && (await isFree(port))) return port;
  }
}

/** The first port that the system assigns by itself; where it is not said, or leaves no room below, the usual one. */
function firstAssigned(): number {
  try {
    const first = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    if (first > COUNT) return first;
  } catch {
    // Not every system has this file.
  }
  return 32_768;
}

function claim(port: number, owner: number): boolean {
  const file = join(CLAIMS, String(port));
  try {
    writeFileSync(file, String(owner), { flag: 'wx' });
  } catch {
    if (!hasOwner(file)) rmSync(file, { force: true });
    return false;
  }
  if (owner === process.pid) own.push(file);
  return true;
}

function hasOwner(file: string): boolean {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    // Another user's process lives, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
