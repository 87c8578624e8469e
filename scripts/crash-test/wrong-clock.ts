/**
 * Clocks of gateways that are wrong, by the library of Debian's package libfaketime. It is installed where that is
 * allowed, as root by apt-get; elsewhere the clocks agree, and the run says so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`);
/** In seconds, by gateway: less than what keeps a gateway out. */
const OFFSETS = [0, 0.8, -1.1] as const;

/** The environment that sets the clock of gateway `at` wrong; timers stay right. */
export function wrongClock(at: number): NodeJS.ProcessEnv {
  const offsetS = OFFSETS[at % OFFSETS.length] ?? 0;
  const library = installed();
  if (offsetS === 0 || library === null) return {};
  return {
    LD_PRELOAD: library,
    FAKETIME: `${offsetS > 0 ? '+' : ''}${offsetS}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Installs what is missing, and says what is done with the clocks. */
export function prepareClocks(): string {
  if (installed() === null) install();
  return installed() === null
    ? 'The clocks agree: install faketime to set them wrong.'
    : `The gateways' clocks are off by ${OFFSETS.join(', ')} s.`;
}

function installed(): string | null {
  return LIBRARIES.find(existsSync) ?? null;
}

/** A failure shows in what is still missing. */
function install(): void {
  spawnSync(join(import.meta.dirname, '../need'), ['faketime', 'faketime'], { stdio: 'ignore' });
}
