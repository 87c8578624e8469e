/** The configuration of this gateway, without its secrets. */

import type { Clock } from '#base/clock.ts';
import { iso } from '#base/time.ts';
import type { HandlersFor } from '#contract/handlers.ts';

/** What the handler needs. */
export interface ConfigurationOptions {
  readonly configuration: ShownConfiguration;
  readonly version: string;
  readonly startedAtMs: number;
  readonly clock: Clock;
}

/** The configuration as people may see it. */
export interface ShownConfiguration {
  readonly fileName: string;
  /** The settings in force. */
  settings(): ReadonlyMap<string, { readonly value: string | null }>;
  /** What the file says now. */
  file(): {
    readonly state: 'same' | 'different' | 'invalid';
    readonly line: number | null;
    readonly differences: readonly {
      readonly setting: string;
      readonly inForce: string | null;
      readonly inFile: string | null;
    }[];
  };
}

/** getConfiguration. */
export function configurationHandlers(options: ConfigurationOptions): HandlersFor<'getConfiguration'> {
  const { configuration, version, startedAtMs, clock } = options;
  return {
    getConfiguration() {
      const { state, line, differences } = configuration.file();
      const json = {
        object: 'configuration',
        version,
        at: iso(clock.nowMs()),
        started_at: iso(startedAtMs),
        file: { name: configuration.fileName, state, line },
        settings: Array.from(configuration.settings(), ([setting, { value }]) => ({ setting, value })),
        differences: differences.map(({ setting, inForce, inFile }) => ({
          setting,
          in_force: inForce,
          in_file: inFile,
        })),
      };
      return { status: 200, json: json };
    },
  };
}
