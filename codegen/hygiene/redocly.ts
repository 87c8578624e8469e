/**
 * The strictest rules of Redocly for published documents. Its core is a dependency of openapi-typescript anyway; its
 * command line would add a few hundred packages.
 */
import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';

const CONFIG: RawUniversalConfig = {
  extends: ['recommended-strict'],
  rules: {
    'no-unused-components': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'operation-operationId': 'error',
    'operation-description': 'error',
    'tag-description': 'error',
    // A redirect has no 2XX, and an operation without keys and rate limits has no 4XX.
    'operation-2xx-response': 'off',
    'operation-4xx-response': 'off',
  },
};

/** The findings of the rules in a whole document in JSON; one sentence each. */
export async function redoclyFindings(json: string): Promise<string[]> {
  const problems = await lintFromString({ source: json, config: await createConfig(CONFIG) });
  return problems.flatMap(({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '#/';
    // Extensions name the schemas of frames and lines, and Redocly does not read extensions.
    if (ruleId === 'no-unused-components' && json.includes(`"${pointer}"`)) return [];
    return [`${pointer}: ${message.replaceAll('\n', ' ')} (${ruleId})`];
  });
}
