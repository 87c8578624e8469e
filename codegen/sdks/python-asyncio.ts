/**
 * The asyncio client of Python, sluice/aio.py, from the sources of the client for threads: each public method becomes one
 * to await or an iterator for `async for`, with the same parameters and documentation. So nothing is written twice.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Its classes, by the modules that have them, and the names that they have in a client; the handle of an order has none. */
const CLASSES = [
  { module: 'orders', name: 'OrderHandle', resource: null },
  { module: 'orders', name: 'Orders', resource: 'orders' },
  { module: 'batches', name: 'Files', resource: 'files' },
  { module: 'batches', name: 'Batches', resource: 'batches' },
  { module: 'market', name: 'Market', resource: 'market' },
] as const;
const HANDLE = 'OrderHandle';
const RESOURCES = CLASSES.flatMap(({ name, resource }) => (resource ? [{ name, resource }] : []));

const HEAD = '"""The client for asyncio: each method of ``Sluice`` runs in a thread, so none is written twice."""\n';

const CLIENT = `class AsyncSluice:
    """Sluice for asyncio: the same resources with methods to await and iterators for \`\`async for\`\`.

    \`\`sync\`\` is the same client for threads: \`\`await asyncio.to_thread(client.sync.api.account.get_account)\`\`.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self.sync = Sluice(**options)
${RESOURCES.map(({ name, resource }) => `        self.${resource} = Async${name}(self.sync.${resource})\n`).join('')}`;

/** Writes aio.py into the folder of the package, from the modules that are there. */
export async function writeAsyncio(folder: string): Promise<void> {
  const modules = [...new Set(CLASSES.map(({ module }) => module)), 'client', 'threads'];
  const read = async (name: string) => ({ name, text: await readFile(join(folder, `${name}.py`), 'utf8') });
  await writeFile(join(folder, 'aio.py'), asyncioOf(await Promise.all(modules.map(read))));
}

interface Module {
  readonly name: string;
  readonly text: string;
}

/** The text of aio.py. Throws where a class is missing. */
export function asyncioOf(modules: readonly Module[]): string {
  const classes = CLASSES.map(({ module, name }) => {
    const source = modules.find((each) => each.name === module)?.text ?? '';
    const body = new RegExp(`^class ${name}:\\n([\\s\\S]*?)(?=^\\S|(?![\\s\\S]))`, 'm').exec(source)?.[1];
    if (body === undefined) throw new Error(`${module}.py has no class ${name}.`);
    return classOf(name, body);
  });
  const written = [...classes, CLIENT].join('\n\n');
  return [`${HEAD}\n${importsFor(written, modules)}`, written].join('\n\n');
}

function classOf(name: string, body: string): string {
  const [documentation = ''] = /^ {4}"""[\s\S]*?"""\n/.exec(body) ?? [];
  const attributes = body.matchAll(/^ {4}(\w+): (.+)\n((?: {4}""".*"""\n)?)/gm);
  const properties = Array.from(attributes, ([, field = '', type = '', text = '']) => {
    const own = `    @property\n    def ${field}(self) -> ${type}:\n`;
    return `${own}${text && `    ${text}`}        return self.sync.${field}\n`;
  });
  const methods = body.matchAll(/^ {4}def ([a-z]\w*)\(([\s\S]*?)\) -> (.+):\n((?: {8}"""[\s\S]*?"""\n)?)/gm);
  const calls = Array.from(methods, ([, method = '', parameters = '', result = '', text = '']) =>
    methodOf({ method, parameters, result: result.replaceAll('"', ''), text }),
  );
  const begin = `    def __init__(self, sync: ${name}) -> None:\n        self.sync = sync\n`;
  return `class Async${name}:\n${[documentation, begin, ...properties, ...calls].join('\n')}`;
}

interface Method {
  readonly method: string;
  readonly parameters: string;
  readonly result: string;
  readonly text: string;
}

function methodOf({ method, parameters, result, text }: Method): string {
  const call = `self.sync.${method}(${argumentsOf(parameters)})`;
  const [, item] = /^Iterator\[(.+)\]$/.exec(result) ?? [];
  const isHandle = (item ?? result) === HANDLE;
  const type = isHandle ? `Async${HANDLE}` : (item ?? result);
  const wrapped = (value: string) => (isHandle ? `${type}(${value})` : value);
  const head = `    async def ${method}(${parameters})`;
  return item
    ? `${head} -> AsyncIterator[${type}]:\n${text}        async for each in items_of(${call}):\n            yield ${wrapped('each')}\n`
    : `${head} -> ${type}:\n${text}        return ${wrapped(`await in_thread(lambda: ${call})`)}\n`;
}

/** How the parameters of a method are passed on: those after a star of its own by their names. */
function argumentsOf(parameters: string): string {
  const [positional = '', named = ''] = parameters.replace(/#.*/g, '').split(/ \*,/);
  const namesIn = (text: string) => Array.from(text.matchAll(/(\*{0,2}\w+): /g), ([, name = '']) => name);
  const byName = namesIn(named).map((name) => (name.startsWith('*') ? name : `${name}=${name}`));
  return [...namesIn(positional), ...byName].join(', ');
}

/** An import of every name that a text uses, from where the modules have it. */
function importsFor(text: string, modules: readonly Module[]): string {
  const lines = new Map<string, string>([['AsyncIterator', 'from typing import AsyncIterator\n']]);
  for (const { name, text: source } of modules) {
    for (const [, from = '', names = ''] of source.matchAll(/^from (\S+) import (.+)$/gm))
      for (const each of names.split(', ')) lines.set(each, `from ${from} import ${each}\n`);
    for (const [, named = ''] of source.matchAll(/^(?:class |async def |def )?([A-Za-z]\w*)(?= =|\(|:\n)/gm))
      lines.set(named, `from sluice.${name} import ${named}\n`);
  }
  const words = new Set(text.match(/\b[A-Za-z]\w*/g));
  return [...lines].flatMap(([name, line]) => (words.has(name) ? [line] : [])).join('');
}
