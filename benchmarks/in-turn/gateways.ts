/**
 * Two gateways in one process, for `in-turn.ts`: the same code compiled once, one heap, and one of them idle. Two
 * processes of one program differ by a percent or two, for as long as they live. Started with `fork`.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { parseConfig } from '#config/config.ts';
import { createService, type Service } from '#service/service.ts';

/** Starts a gateway with this environment, or asks for the processor time so far, or ends all. */
export type Asked =
  | { readonly start: Readonly<Record<string, string | undefined>> }
  | { readonly used: true }
  | { readonly end: true };

/** What answers: the address of the gateway, or microseconds of all threads, user and system. */
export type Told = { readonly url: string } | { readonly usedUs: number } | { readonly ended: true };

const services: Service[] = [];

async function answer(asked: Asked): Promise<Told> {
  if ('start' in asked) {
    const fileName = asked.start.SLUICE_CONFIG ?? '';
    const config = parseConfig(readFileSync(fileName, 'utf8'), fileName, asked.start);
    const service = await createService({ config, clock: systemClock, random: systemRandom, log: silentLog });
    services.push(service);
    return { url: (await service.listen()).url };
  }
  if ('used' in asked) {
    const { user, system } = process.cpuUsage();
    return { usedUs: user + system };
  }
  for (const service of services) await service.close();
  return { ended: true };
}

// One after the other: the parent waits for each answer.
process.on('message', (asked: Asked) => {
  void answer(asked).then((told) => {
    process.send?.(told);
    if ('ended' in told) process.disconnect();
  });
});
