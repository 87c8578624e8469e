/** `simulate`: seeded days of trading on the real exchange, and clusters of gateways, in simulated time. */
import { CLUSTERS_MAX, jsonOf, namesOfDays, simulate, tableOf, wantedBy } from '#simulations/run.ts';
import { type CommandResult, good, WrongValue, wrong } from './output.ts';

/** Simulates days and reports the figures with their targets. Throws WrongValue for invalid numbers and unknown days. */
export async function simulateDays(options: {
  seed: string;
  only: string;
  clusters: string;
  search: string;
  picture: string;
}): Promise<CommandResult> {
  const { seed, only, clusters, search, picture } = options;
  const seeds = [...new Set(seed.split(','))];
  if (!seeds.every((one) => /^\d{1,9}$/.test(one))) {
    throw new WrongValue('A seed must be a whole number of up to nine digits; separate several with commas.');
  }
  if (!/^\d{1,6}$/.test(clusters) || Number(clusters) < 1 || Number(clusters) > CLUSTERS_MAX) {
    throw new WrongValue(`The number of clusters must be a whole number from 1 to ${CLUSTERS_MAX}.`);
  }
  if (!/^\d{1,5}$/.test(search) || Number(search) < 1) {
    throw new WrongValue('The search for attacks takes a whole number of seconds, from 1 to 99999.');
  }
  const words = only.split(',').filter(Boolean);
  if (wantedBy(words).length === 0) {
    throw new WrongValue(`No day has a name that contains ${only}; the names are: ${namesOfDays().join('; ')}.`);
  }
  const outcomes = await simulate({
    seeds: seeds.map(Number),
    only: words,
    clusters: Number(clusters),
    searchSeconds: Number(search),
    picture,
  });
  const table = tableOf(outcomes).replaceAll('✔', good('✔')).replaceAll('✘', wrong('✘'));
  return {
    json: { seeds: seeds.map(Number), picture, requirements: jsonOf(outcomes) },
    text: `${table}\n\nThe same as a picture: ${picture}`,
  };
}
