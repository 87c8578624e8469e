/**
 * Ports for processes that have to be told one before they start. The tests' files run beside each other, and a gateway
 * takes its port a while after it was chosen, so each choice is claimed in a folder that all of them see.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Below the ports that systems assign to outgoing connections, which could take a port between two uses of it. */
const PORTS = { first: 20_000, end: 32_000 };
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
