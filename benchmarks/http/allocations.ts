/** Counts what a server with `allocation-probe.ts` allocates, over a socket in a folder of its own. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server's probe. */
export interface AllocationProbe {
  /** Flags and environment with which the server starts. */
  readonly flags: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Begins to count; the function ends it, and returns the bytes of heap that the main thread allocated meanwhile. */
  count(): Promise<() => Promise<number>>;
  /** Removes the socket. */
  remove(): void;
}

/** A probe for a server that is still to be started. */
export function allocationProbe(): AllocationProbe {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-probe-'));
  const path = join(folder, 'socket');
  return {
    flags: [`--import=${new URL('./allocation-probe.ts', import.meta.url).href}`],
    environment: { ALLOCATION_SOCKET: path },
    async count() {
      const socket = connect(path);
      await once(socket, 'data');
      return async () => {
        const answer = once(socket, 'data');
        socket.end();
        return Number(String(await answer));
      };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
