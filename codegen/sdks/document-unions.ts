/** The unions of the TypeScript client: their types, and models over what the generator makes of their placeholders. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNIONS } from './document-types.ts';

/** Writes the text of unions.ts, and one model for each union, into the folder of the sources. */
export async function writeUnions(source: string, folder: string): Promise<void> {
  await writeFile(join(folder, 'unions.ts'), source);
  for (const name of Object.keys(UNIONS)) await writeFile(join(folder, `models/${name}.ts`), modelOf(name));
}

/** The functions are those that generated code calls. A union is on the wire what it is in a program, except money. */
function modelOf(name: string): string {
  const isMoney = name === 'Money';
  const functions = [
    [`${name}FromJSON`, 'json: any', name, isMoney ? 'fromNumber(json)' : 'json'],
    [`${name}FromJSONTyped`, 'json: any, _ignoreDiscriminator: boolean', name, `${name}FromJSON(json)`],
    [`${name}ToJSON`, `value?: ${name} | null`, 'any', isMoney ? 'toNumber(value)' : 'value'],
    [`${name}ToJSONTyped`, `value?: ${name} | null, _ignoreDiscriminator = false`, 'any', `${name}ToJSON(value)`],
  ];
  const written = functions.map(
    ([called, parameters, result, value]) =>
      `export function ${called}(${parameters}): ${result} {\n    return ${value};\n}\n`,
  );
  const from = isMoney ? '../money.js' : '../unions.js';
  const imports = isMoney
    ? `import { fromNumber, toNumber, type Money } from '${from}';`
    : `import type { ${name} } from '${from}';`;
  return `${imports}\n\nexport type { ${name} } from '${from}';\n\n${written.join('\n')}`;
}
