/** Prints a port of this machine that nobody listens on now, for shell scripts. */
import { freePort } from '#testing/gateway-process.ts';

console.log(await freePort());
