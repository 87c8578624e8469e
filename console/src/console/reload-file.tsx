/** Reloads the configuration file, and shows the outcome. */
import { useState } from 'preact/hooks';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

/** The button, and after it what has changed. For members with the role `operator`. */
export function ReloadFile() {
  const [taken, take] = useState<Schemas['Reload'] | null>(null);
  const reload = async () => take(await granted(settings.POST('/console/api/reload')));
  return (
    <>
      <Confirmed
        text="Read the file again"
        warning="The whole file is checked first; a wrong one changes nothing."
        yes="Read it"
        no="Not now"
        act={reload}
        heavy
        harmless
      />
      {taken && <Taken of={taken} />}
    </>
  );
}

function Taken({ of: { changed, needs_restart: later } }: { readonly of: Schemas['Reload'] }) {
  return (
    <div role="status">
      <p class="later">{changed.length === 0 ? 'The file changes nothing.' : 'In force now:'}</p>
      <Changes of={changed} />
      {later.length > 0 && <p>These need a restart:</p>}
      <Changes of={later} />
    </div>
  );
}

function Changes({ of }: { readonly of: readonly Schemas['SettingChange'][] }) {
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map(({ setting, before, after }) => (
        <li key={setting}>
          <code>{setting}</code>: {before ?? 'none'} → {after ?? 'none'}
        </li>
      ))}
    </ul>
  );
}
