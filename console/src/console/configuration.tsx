/** The settings in force, what the file says otherwise now, and how it is taken over. */
import { useState } from 'preact/hooks';
import { Moment, Nothing } from '../parts/figures.tsx';
import { ScrolledCode, ScrolledTable } from '../parts/scrolled.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { FiguresPage } from './figures-page.tsx';

const EVERY_MS = 10_000;
const PATH = '/console/api/configuration';

type Configuration = Schemas['Configuration'];

/** The page at `#/settings`. */
export function ConfigurationPage() {
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
      {(value) => (
        <>
          <File of={value} />
          <InForce of={value.settings} />
        </>
      )}
    </FiguresPage>
  );
}

function File({ of: { file, differences } }: { readonly of: Configuration }) {
  return (
    <section class="panel" aria-label="The file">
      <h2>{file.name}</h2>
      {file.state === 'same' && <p>It says what is in force.</p>}
      {file.state === 'invalid' && (
        <p class="fall" role="alert">
          A start would refuse it as it is now{file.line !== null && `: look at line ${file.line}`}. What is in force
          stays.
        </p>
      )}
      {file.state === 'different' && (
        <>
          <p>It was changed, or the environment would be read differently. This needs a restart:</p>
          <ScrolledTable label="Differences">
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">In force</th>
                <th scope="col">In the file</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ setting, in_force, in_file }) => (
                <tr key={setting}>
                  <th scope="row">{setting}</th>
                  <td>{in_force ?? <Nothing />}</td>
                  <td>
                    {in_file === in_force && in_file !== null ? `${in_file}, to another` : (in_file ?? <Nothing />)}
                  </td>
                </tr>
              ))}
            </tbody>
          </ScrolledTable>
          <p>
            Send the gateway SIGTERM and start it again: orders that run have <code>drain_timeout_ms</code> to finish.
          </p>
          <ScrolledCode kind="call" text="kill -TERM PID && npx sluice serve" />
        </>
      )}
    </section>
  );
}

function InForce({ of }: { readonly of: Configuration['settings'] }) {
  const [filter, setFilter] = useState('');
  const shown = of.filter(({ setting }) => setting.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <section aria-label="In force">
      <div class="head">
        <h2>In force</h2>
        <label>
          Filter <input type="search" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
        </label>
      </div>
      <ScrolledTable label="Settings in force">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ setting, value }) => (
            <tr key={setting}>
              <th scope="row">{setting}</th>
              <td class="reason">{value === null || value === '' ? <Nothing /> : value}</td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </section>
  );
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
