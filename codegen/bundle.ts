/**
 * Bundles openapi.yaml and its parts into one document. Redocly's bundler puts each part into `components`, under the
 * last segment of the reference to it, and each path where it is named. Nothing else reads the parts: all other code
 * reads generated/openapi.json.
 */
import { bundle, createConfig } from '@redocly/openapi-core';
import { withMessagesTwins } from './messages-twins.ts';
import { withReadParameters } from './read-parameters.ts';

/** The document as JSON text, and the absolute paths of the files that it was read from. */
export interface Bundle {
  readonly json: string;
  readonly files: ReadonlySet<string>;
}

/** The document at `path` with everything that it refers to. Throws on a broken reference, naming the file. */
export async function bundleOf(path: string): Promise<Bundle> {
  const config = await createConfig({
    plugins: [
      {
        id: 'sluice',
        typeExtension: {
          // `x-takes` refers to a place in the whole document, #/components/x-values, and is not followed.
          oas3: ({ Schema = { properties: {} }, ...types }) => ({
            ...types,
            Schema: { ...Schema, properties: { ...Schema.properties, 'x-takes': null } },
          }),
        },
      },
    ],
  });
  const { bundle: document, problems, fileDependencies } = await bundle({ ref: path, config });
  const [problem] = problems;
  if (problem) throw new Error(`${problem.location[0]?.source.absoluteRef}: ${problem.message}`);
  return { json: JSON.stringify(withReadParameters(withMessagesTwins(document.parsed))), files: fileDependencies };
}
