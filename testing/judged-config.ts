/**
 * The gateway's own reading of a configuration, held against the JSON Schema for editors: what the gateway takes the schema
 * must take, and what it refuses the schema must refuse, unless no schema could know. Tests of the configuration read
 * with this, so that each of their files is judged by both.
 */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { type Config, ConfigError, configSchema, parseConfig as parseUnjudged } from '#config/config.ts';

const schemaTakes = new Ajv({ strict: false, allErrors: true }).compile(configSchema);

/** What a schema cannot know: it sees values, not how they are written, and not several at once, nor the environment. */
const BEYOND_SCHEMAS: readonly RegExp[] = [
  /not valid YAML|appears here a second time|has no anchor before it|aliases repeat more/,
  // Several values.
  /is not one of the models|repeats the name|is above|has no entries|role_claim is missing|of many organizations/,
  /has no weight above 0|ceiling is 0|values is empty/,
  // More than a form: addresses and days that look right.
  /is not a valid date|is not an http or https address|contains a user, a password|ends in \/chat\/completions/,
  // How a decimal is written.
  /is "[^"]*\d[^"]*"; make it a plain decimal/,
  // The environment.
  /which is not set|and .* is not; set it|_FILE|needs one gateway|is not what Stripe's dashboard shows/,
  /^(?:PORT|DATABASE_URL|LOG_LEVEL|METRICS_PORT|SLUICE_\w+) /,
];

/** As `parseConfig` of the gateway; fails when the schema judges otherwise. */
export function parseConfig(...of: Parameters<typeof parseUnjudged>): Config {
  const [text, fileName] = of;
  try {
    const config = parseUnjudged(...of);
    assert.ok(
      schemaTakes(parse(text)),
      `the schema refuses what the gateway takes, ${JSON.stringify(schemaTakes.errors)}`,
    );
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!BEYOND_SCHEMAS.some((pattern) => pattern.test(error.message)))
      assert.ok(!schemaTakes(parse(text)), `the schema takes ${fileName}, which the gateway refuses: ${error.message}`);
    throw error;
  }
}
