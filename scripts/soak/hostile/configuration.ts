/** What the gateway of a hostile soak sells, and on which pods. */
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';

/** The pods: the model that each serves, its slots, and the share of its answers that is misbehaviour. */
export const PODS = [
  { model: 'tide', slots: 3, misbehaves: 0.08 },
  { model: 'tide', slots: 3, misbehaves: 0.15 },
  { model: 'tide', slots: 1, misbehaves: 0.6 },
  { model: 'harbor', slots: 3, misbehaves: 0.08 },
  { model: 'harbor', slots: 1, misbehaves: 0.4 },
  { model: 'ebb', slots: 1, misbehaves: 0.15 },
] as const;

/** The name of the environment variable that holds the key of every pod, and the key: it must stand in no log. */
export const POD_KEY = { variable: 'SOAK_POD_KEY', value: 'pod-key-of-the-soak' } as const;

const PATIENCE = { first_token_timeout_ms: 2500, idle_timeout_ms: 2000, total_timeout_ms: 12_000 };
/** Small, so that answers beyond it cost the machine little. */
const ANSWER_BYTES_MAX = 300_000;

/** The text of the configuration; `urls` are those of the pods, in order. */
export function configurationOf(urls: readonly string[]): string {
  const [tide, harbor, ebb] = [marketModel('tide'), fixedModel('harbor'), marketModel('ebb')].map((model) => ({
    ...model,
    context_length: 131_072,
    max_answer_bytes: ANSWER_BYTES_MAX,
    pods: PODS.flatMap(({ model: name, slots }, index) =>
      name === model.id
        ? [{ id: `pod-${index}`, url: urls[index], slots, api_key_env: POD_KEY.variable, ...PATIENCE }]
        : [],
    ),
  }));
  if (!tide || !harbor || !ebb) throw new Error('A model is missing.');
  return selling([tide, harbor, ebb], {
    probes: { enabled: true, interval_ms: 10_000 },
    // A disk that is silent for so long is a finding, but not one that a starved machine makes slow.
    disk_deadline_ms: 30_000,
    limits: { ...unlimited, streams_per_address: 100 },
  });
}
