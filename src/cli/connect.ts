/** `sluice config check --connect`: whether each pod of a configuration can be sold, as `pods/check-pod.ts` finds out. */
import type { Clock } from '#base/clock.ts';
import type { Config } from '#config/config.ts';
import { checkPod } from '#pods/check-pod.ts';
import { good, table, wrong } from './output.ts';

/** Tries every pod that is not simulated, all at once. Never rejects. */
export async function connectPods({ pods }: Pick<Config, 'pods'>, clock: Clock) {
  const checked = await Promise.all(
    pods
      .filter(({ url }) => url !== null)
      .map(async (config) => {
        const { fault, usage, cachedTokens } = await checkPod(config, clock);
        return { pod: config.id, model: config.model, url: config.url, fault, usage, cached_tokens: cachedTokens };
      }),
  );
  const rows = checked.map(({ pod, model, fault, usage, cached_tokens }) => [
    pod,
    model,
    fault === null ? 'answers' : 'FAILS',
    usage ? 'reported' : fault === null ? 'estimated' : '',
    cached_tokens ? 'reported' : fault === null ? 'none' : '',
  ]);
  const faults = checked.flatMap(({ pod, fault }) => (fault === null ? [] : [`${wrong(pod)}: ${fault}`]));
  const notes = checked
    .filter(({ fault, usage }) => fault === null && !usage)
    .map(({ pod }) => `${pod} reports no tokens: prompts are estimated and charged as uncached; turn its report on.`);
  const ok = faults.length === 0;
  const lines = [
    ...(rows.length === 0 ? ['Every pod is simulated.'] : [table(['POD', 'MODEL', '', 'TOKENS', 'CACHED'], rows)]),
    ...faults,
    ...notes,
    ...(ok && rows.length > 0 ? [good('Every pod answers.')] : []),
  ];
  return { ok, pods: checked, text: lines.join('\n') };
}
