/** The configuration of this gateway, without its secrets; and reading its file again. */
import type { ChangeLog } from '#accounts/change-log.ts';
import type { Clock } from '#base/clock.ts';
import { iso } from '#base/time.ts';
import { handlersOf } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';

/** The state of the file since the start. `line` is where a file that a start would refuse has its first fault. */
export interface FileState {
  readonly state: 'same' | 'different' | 'invalid';
  readonly line: number | null;
  readonly differences: readonly {
    readonly setting: string;
    readonly inForce: string | null;
    readonly inFile: string | null;
  }[];
}

/** getConfiguration: what is in force, and what the file says now. */
export function configurationHandlers(options: {
  readonly configuration: {
    readonly fileName: string;
    settings(): ReadonlyMap<string, { readonly value: string | null; readonly isDefault: boolean }>;
    file(): FileState;
  };
  readonly version: string;
  readonly startedAtMs: number;
  readonly clock: Clock;
}) {
  const { configuration, version, startedAtMs, clock } = options;
  return handlersOf({
    getConfiguration() {
      const { state, line, differences } = configuration.file();
      const json = {
        object: 'configuration',
        version,
        at: iso(clock.nowMs()),
        started_at: iso(startedAtMs),
        file: { name: configuration.fileName, state, line },
        settings: Array.from(configuration.settings(), ([setting, { value, isDefault }]) => ({
          setting,
          value,
          is_default: isDefault,
        })),
        differences: differences.map(({ setting, inForce, inFile }) => ({
          setting,
          in_force: inForce,
          in_file: inFile,
        })),
      };
      return { status: 200, json };
    },
  });
}

/** One setting that differs, as people see it; null where there is none. Secrets are not shown. */
export interface SettingChange {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What a reload would change, and which changed settings need a restart. */
export interface Difference {
  readonly changed: readonly SettingChange[];
  readonly needsRestart: readonly SettingChange[];
}

/** reloadConfiguration. */
export function reloadHandlers(options: {
  readonly reload: {
    /** `noted` is called before anything changes. Throws Fault invalid_request about a wrong line. */
    reload(noted: (difference: Difference) => Promise<void>): Promise<Difference>;
  };
  readonly changes: Pick<ChangeLog, 'note'>;
}) {
  const { reload, changes } = options;
  return handlersOf({
    async reloadConfiguration({ signedIn }) {
      const taken = await reload.reload(async ({ changed }) => {
        if (changed.length === 0) return;
        const side = (of: 'before' | 'after') => Object.fromEntries(changed.map((each) => [each.setting, each[of]]));
        const change = { before: side('before'), after: side('after') };
        await changes.note(signedIn.member, { what: 'configuration.reload', subject: 'configuration', ...change });
      });
      return { status: 200, json: reloadObject(taken) };
    },
  });
}

function reloadObject({ changed, needsRestart }: Difference): components['schemas']['Reload'] {
  const listed = (changes: readonly SettingChange[]) => changes.map((change) => ({ ...change }));
  return { object: 'reload', changed: listed(changed), needs_restart: listed(needsRestart) };
}
