/**
 * The rules of Redocly for documents that strangers read and tools consume, at their strictest. Its core is what
 * openapi-typescript brings anyway; the command line around it would bring a few hundred packages more.
 */
import { createConfig, lint, type RawUniversalConfig } from '@redocly/openapi-core';

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
    // A redirection has no 2XX, and what is free of keys and rates refuses nobody.
    'operation-2xx-response': 'off',
    'operation-4xx-response': 'off',
  },
};

/** What the rules find in the document at `path`, whose text is `yaml`; one sentence each. */
export async function redoclyFindings(path: string, yaml: string): Promise<string[]> {
  const problems = await lint({ ref: path, config: await createConfig(CONFIG) });
  return problems.flatMap(({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '#/';
    // The schemas of frames and of lines are named by extensions, which Redocly does not read.
    if (ruleId === 'no-unused-components' && yaml.includes(`'${pointer}'`)) return [];
    return [`${pointer}: ${message.replaceAll('\n', ' ')} (${ruleId})`];
  });
}
