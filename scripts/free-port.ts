/** Prints a port for a shell script, `node scripts/free-port.ts $$`: nobody else is given it while that process lives. */
import { freePort } from '#testing/free-port.ts';

console.log(await freePort(Number(process.argv[2])));
