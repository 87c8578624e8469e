/** Clocks of gateways that are wrong, by the library of Debian's package faketime; none where it is not installed. */
import { existsSync } from 'node:fs';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
/** In seconds, by gateway: less than what keeps a gateway out. */
const OFFSETS = [0, 0.8, -1.1] as const;

/** The environment that sets the clock of gateway `at` wrong; timers stay right. */
export function wrongClock(at: number): NodeJS.ProcessEnv {
  const offsetS = OFFSETS[at % OFFSETS.length] ?? 0;
  if (offsetS === 0 || !existsSync(LIBRARY)) return {};
  return {
    LD_PRELOAD: LIBRARY,
    FAKETIME: `${offsetS > 0 ? '+' : ''}${offsetS}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** What is done with the clocks, as a sentence. */
export function clockSentence(): string {
  return existsSync(LIBRARY)
    ? `The gateways' clocks are off by ${OFFSETS.join(', ')} s.`
    : 'The clocks agree: install faketime to set them wrong.';
}
