/** The settings in force, what the file says otherwise now, and how it is taken over. */
import { useState } from 'preact/hooks';
import { useText } from '../address.ts';
import { countWhole } from '../format.ts';
import { Moment, Nothing } from '../parts/figures.tsx';
import { DataTable } from '../parts/table.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { FiguresPage } from './figures-page.tsx';
import type { PageProps } from './page.ts';

const EVERY_MS = 10_000;
const PATH = '/console/api/configuration';

type Configuration = Schemas['Configuration'];

/** The page at `#/settings`. */
export function ConfigurationPage({ role }: PageProps) {
  return (
    <FiguresPage
      title="Settings"
      path={PATH}
      ask={() => granted(settings.GET(PATH))}
      everyMs={EVERY_MS}
      sheet={sheetOf}
      beside={({ version, started_at }) => (
        <span class="faint small">
          Version {version}, since <Moment ms={Date.parse(started_at)} />
        </span>
      )}
    >
      {(value, again) => (
        <>
          <File of={value} reloaded={role === 'operator' ? again : null} />
          <InForce of={value.settings} />
        </>
      )}
    </FiguresPage>
  );
}

interface FileProps {
  readonly of: Configuration;
  /** Called after a reload; null for those who may only look. */
  readonly reloaded: (() => Promise<void>) | null;
}

function File({ of: { file, differences }, reloaded }: FileProps) {
  const [taken, take] = useState<Schemas['Reload'] | null>(null);
  const reload = async () => {
    take(await granted(settings.POST('/console/api/reload')));
    await reloaded?.();
  };
  return (
    <section class="panel" aria-label="The file">
      <h2>{file.name}</h2>
      {file.state === 'same' && <p>The gateway runs with what this file says.</p>}
      {file.state === 'invalid' && (
        <p class="fall" role="alert">
          A start would refuse it as it is now{file.line !== null && `: look at line ${file.line}`}. What is in force
          stays.
        </p>
      )}
      {taken && <Taken of={taken} />}
      {file.state === 'different' && (
        <>
          <p>The file was changed, or a variable of the environment that it names was.</p>
          <Differences of={differences} />
          <p>
            A reload takes the models, the pods, the limits and the log level. Everything else needs a restart: send the
            gateway SIGTERM and start it again; orders that run have <code>drain_timeout_ms</code> to finish. Each
            gateway reads its own file.
          </p>
          {reloaded && (
            <Confirmed
              text="Reload"
              warning="It is read again and taken at once. What runs on a pod that is gone ends there."
              yes="Reload it"
              no="Leave it"
              act={reload}
              heavy
              harmless
            />
          )}
        </>
      )}
    </section>
  );
}

/** What a reload changed, and what it left to a restart. */
function Taken({ of: { changed, needs_restart: left } }: { readonly of: Schemas['Reload'] }) {
  const names = (changes: typeof changed) => changes.map(({ setting }) => setting).join(', ');
  return (
    <p role="status">
      {changed.length === 0 ? 'None of it could be applied.' : `Taken: ${names(changed)}.`}
      {left.length > 0 && ` This needs a restart: ${names(left)}.`}
    </p>
  );
}

function Differences({ of }: { readonly of: Configuration['differences'] }) {
  return (
    <DataTable
      label="Differences"
      rows={of}
      keyOf={({ setting }) => setting}
      columns={[
        { head: 'Setting', cell: ({ setting }) => brokenAtParts(setting) },
        { head: 'In force', cell: ({ in_force }) => in_force ?? <Nothing /> },
        {
          head: 'In the file',
          cell: ({ in_file, in_force }) =>
            in_file === in_force && in_file !== null ? `${in_file}, to another` : (in_file ?? <Nothing />),
        },
      ]}
    />
  );
}

function InForce({ of }: { readonly of: Configuration['settings'] }) {
  const [filter, setFilter] = useText('filter');
  const sought = filter.trim().toLowerCase();
  const found = of.filter(({ setting }) => setting.toLowerCase().includes(sought));
  const [own, defaults] = [found.filter(({ is_default }) => !is_default), found.filter(({ is_default }) => is_default)];
  return (
    <section aria-label="In force">
      <div class="head">
        <h2>What differs from the defaults</h2>
        <label>
          Filter <input type="search" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
        </label>
      </div>
      {own.length > 0 && <SettingTable label="Settings in force" rows={own} />}
      {own.length === 0 && <p class="faint">None of them differs from its default.</p>}
      {defaults.length > 0 && (
        <details key={sought} open={sought !== ''}>
          <summary>{countWhole(defaults.length)} with their defaults</summary>
          <SettingTable label="Defaults" rows={defaults} />
        </details>
      )}
    </section>
  );
}

function SettingTable({ label, rows }: { readonly label: string; readonly rows: Configuration['settings'] }) {
  return (
    <DataTable
      label={label}
      rows={rows}
      keyOf={({ setting }) => setting}
      columns={[
        { head: 'Setting', cell: ({ setting }) => brokenAtParts(setting) },
        { head: 'Value', cell: ({ value }) => (value === null || value === '' ? <Nothing /> : value) },
      ]}
    />
  );
}

/** A long name, which may go on in another line after each of its parts only. */
function brokenAtParts(name: string) {
  return name.split(/(?<=[._\]])/).map((part) => [part, <wbr key={part} />]);
}

function sheetOf({ settings: all, differences }: Configuration) {
  const inFile = new Map(differences.map(({ setting, in_file }) => [setting, in_file]));
  const rows = all.map(({ setting, value }) => [
    setting,
    value,
    inFile.has(setting) ? (inFile.get(setting) ?? null) : value,
  ]);
  return { name: 'configuration', rows: () => [['setting', 'in_force', 'in_file'], ...rows] };
}
