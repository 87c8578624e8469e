/**
 * `sluice config`: whether the gateway would start with a configuration file, without starting anything, and its schema, which
 * `config/schema.yaml` has.
 */
import type { Config } from '#config/config.ts';
import { withoutPassword } from './database-fault.ts';
import { type CommandResult, facts, good } from './output.ts';

/** Tells what a configuration that was read as a whole would sell. */
export function checkedConfig(config: Config): CommandResult {
  const { fileName, listings, pods } = config;
  const json = {
    ok: true,
    file: fileName,
    models: listings.all.map(({ id }) => id),
    pods: pods.map(({ id }) => id),
    warnings: warningsOf(config),
  };
  const lines = [
    ['models', json.models.join(', ')],
    ['pods', json.pods.join(', ') || 'none'],
    ['database', withoutPassword(config.databaseUrl)],
    ...json.warnings.map((warning) => ['note', warning] as const),
  ] as const;
  return { json, text: `${good(`${fileName} is right.`)}\n${facts(lines)}` };
}

/** The schema as it is written to a file; with `--json` on one line. */
export function printedSchema(schema: object): CommandResult {
  return { json: { ...schema }, text: JSON.stringify(schema, null, 2) };
}

/** What is allowed and seldom meant. */
function warningsOf({ listings, pods }: Config): string[] {
  const served = new Set(pods.map(({ model }) => model));
  return listings.all
    .filter(({ id, deprecated, preview }) => !deprecated && !preview && !served.has(id))
    .map(({ id }) => `${id} has no pods: its orders wait until they expire`);
}
