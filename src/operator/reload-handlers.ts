/** Reading the configuration file again. */

import type { ChangeLog } from '#accounts/change-log.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { components } from '#generated/console-api/types.ts';

interface SettingChange {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Difference {
  readonly changed: readonly SettingChange[];
  readonly needsRestart: readonly SettingChange[];
}

/** reloadConfiguration. */
export function reloadHandlers({
  reload,
  changes,
}: {
  readonly reload: {
    /** `noted` is called before anything changes. Throws Fault invalid_request about a wrong line. */
    reload(noted: (difference: Difference) => Promise<void>): Promise<Difference>;
  };
  readonly changes: Pick<ChangeLog, 'note'>;
}): HandlersFor<'reloadConfiguration'> {
  return {
    async reloadConfiguration({ signedIn }) {
      const taken = await reload.reload(async ({ changed }) => {
        if (changed.length === 0) return;
        const side = (of: 'before' | 'after') => Object.fromEntries(changed.map((each) => [each.setting, each[of]]));
        const change = { before: side('before'), after: side('after') };
        await changes.note(signedIn.member, { what: 'configuration.reload', subject: 'configuration', ...change });
      });
      return { status: 200, json: reloadObject(taken) };
    },
  };
}

function reloadObject({ changed, needsRestart }: Difference): components['schemas']['Reload'] {
  const listed = (changes: readonly SettingChange[]) => changes.map((change) => ({ ...change }));
  return { object: 'reload', changed: listed(changed), needs_restart: listed(needsRestart) };
}
