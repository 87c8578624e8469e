/** Prints a port on which nobody listens now, for shell scripts. */
import { freePort } from '#testing/gateway-process.ts';

console.log(await freePort());
