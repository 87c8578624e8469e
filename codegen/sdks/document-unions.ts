/** The models of unions in TypeScript, written over what the generator makes of their placeholders. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNIONS } from './document-types.ts';

/** Writes one file for each union into the folder of the models. */
export async function writeUnions(folder: string): Promise<void> {
  for (const name of Object.keys(UNIONS)) await writeFile(join(folder, `${name}.ts`), modelOf(name));
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
