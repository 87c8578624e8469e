/**
 * How each language compiles and tests its client: in a folder of its own under generated/sdks/build with the scenario
 * of sdk-tests/ and the programs of the client's README, so nothing is built among sources.
 */
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addOnFolder, addOns } from '#codegen/sdks/add-ons.ts';
import { clientFolder } from '#codegen/sdks/generate.ts';
import packages from '#codegen/sdks/packages.json' with { type: 'json' };
import type { Language } from '#codegen/sdks/toolchains.ts';
import type { ShellCommand } from './command.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENTS = join(ROOT, 'generated/sdks');
const BUILD = join(CLIENTS, 'build');

/** Python's compiler does not check types. The others build the package and check what a registry shows of it. */
const PYTHON_TOOLS = ['mypy==2.4.1', 'pyright[nodejs]==1.1.414', 'build==1.6.1', 'setuptools==84.2.1', 'twine==7.0.0'];

/** The official clients that the add-ons are for. npm has those of this repository. */
const PYTHON_OFFICIAL = ['openai==3.57.0', 'anthropic==2.14.0'];

/** What to run for one language, in order. */
export interface SdkBuild {
  /** Compiles the client, then what uses it. */
  readonly build: readonly ShellCommand[];
  /** Tests the client's streams, without the gateway. */
  readonly streams: ShellCommand;
  /** The first program of the client's README. */
  readonly firstCall: ShellCommand;
  /** Programs of documents that print the number and the text of each event of an order's stream. */
  readonly following: readonly ShellCommand[];
  readonly scenario: ShellCommand;
  /** Tests the layer, without the gateway. */
  readonly layer?: ShellCommand;
  /** The program of the three hundred calls (failing-calls.ts). */
  readonly calls?: ShellCommand;
  /** The programs of the READMEs of the add-ons for official clients, and their tests, against the gateway. */
  readonly addOns?: readonly ShellCommand[];
}

/** A program that a document shows: the mark of its language, a word that only it has, and where it goes. */
interface ShownProgram {
  /** The path of the document; the README of the client when absent. */
  readonly document?: string;
  readonly language: string;
  readonly word?: string;
  readonly file: string;
}

type Recipe = (place: { readonly client: string; readonly folder: string }) => SdkBuild & {
  readonly programs: readonly ShownProgram[];
};

/** Recreates the folder of a language. The client must have been generated. */
export async function sdkBuildOf(language: Language): Promise<SdkBuild> {
  const client = clientFolder(language);
  const folder = join(BUILD, language);
  const { programs, ...build } = recipes[language]({ client, folder });
  await rm(folder, { recursive: true, force: true });
  await cp(join(ROOT, 'sdk-tests', language), folder, { recursive: true });
  if (Object.hasOwn(addOns, language))
    await cp(join(ROOT, 'sdk-tests/add-ons', language), join(folder, 'add-ons'), { recursive: true });
  await cp(join(ROOT, 'sdk-tests/events.json'), join(folder, 'events.json'));
  for (const { document, language, word, file } of programs) {
    const markdown = await readFile(document ?? join(client, 'README.md'), 'utf8');
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, programOf(markdown, language, word));
  }
  return build;
}

/** Unpacks a package of npm: like `npm install`, without a registry. */
function unpack(folder: string, name: string): ShellCommand {
  const packed = `${name.replace('@', '').replace('/', '-')}-*.tgz`;
  const to = `node_modules/${name}`;
  return { line: ['sh', '-c', `mkdir -p ${to} && tar -xzf ${packed} -C ${to} --strip-components=1`], folder };
}

/** Compiles, packs and unpacks an add-on, beside the client that is unpacked already. */
function addOnBuild(folder: string, name: string): readonly ShellCommand[] {
  const staged = join(folder, 'staged', name);
  return [
    { line: ['cp', '-r', addOnFolder('typescript', name, CLIENTS), staged], folder },
    { line: ['tsc', '-p', 'src'], folder: staged },
    { line: ['npm', 'pack', '--silent', '--pack-destination', folder], folder: staged },
    unpack(folder, packages.npm.replace(/client$/, name)),
  ];
}

/** What the READMEs of the add-ons show. */
function addOnPrograms(language: keyof typeof addOns, mark: string): readonly ShownProgram[] {
  return addOns[language].map((name) => ({
    document: join(addOnFolder(language, name, CLIENTS), 'README.md'),
    language: mark,
    file: mark === 'ts' ? `add-ons/${name}-readme.ts` : `add-ons/${name}_readme.py`,
  }));
}

const recipes: Readonly<Record<Language, Recipe>> = {
  typescript: ({ client, folder }) => ({
    build: [
      { line: ['tsc'], folder: client },
      { line: ['npm', 'pack', '--silent', '--pack-destination', folder], folder: client },
      unpack(folder, packages.npm),
      { line: ['mkdir', 'staged'], folder },
      ...addOns.typescript.flatMap((name) => addOnBuild(folder, name)),
      { line: ['rm', '-r', 'staged'], folder },
      { line: ['tsc'], folder },
    ],
    programs: [
      { language: 'ts', file: 'first-call.ts' },
      { language: 'ts', word: 'reprice', file: 'everything.ts' },
      { document: join(ROOT, 'docs/buy/sdks.md'), language: 'ts', file: 'documented.ts' },
      ...addOnPrograms('typescript', 'ts'),
    ],
    streams: { line: ['node', '--test', 'streams.test.ts'], folder },
    firstCall: { line: ['node', 'first-call.ts'], folder },
    following: [
      { line: ['node', 'everything.ts'], folder },
      { line: ['node', 'documented.ts'], folder },
      { line: ['node', 'tour.ts'], folder },
    ],
    scenario: { line: ['node', 'scenario.ts'], folder },
    layer: { line: ['node', '--test', 'layer.test.ts', 'receipts.test.ts', 'package.test.ts'], folder },
    calls: { line: ['node', 'calls.ts'], folder },
    addOns: [
      ...addOns.typescript.map((name) => ({ line: ['node', `add-ons/${name}-readme.ts`] as const, folder })),
      { line: ['node', '--test', 'add-ons/*.test.ts'], folder },
    ],
  }),

  python: ({ client, folder }) => {
    // Kept between runs, with the dependencies of the client.
    const environment = join(BUILD, 'python-environment');
    const python = join(environment, 'bin/python');
    const handwritten = globSync('*.py', { cwd: join(ROOT, 'codegen/sdks/python') });
    const layer = [...handwritten, 'aio.py'].map((name) => join(client, 'sluice', name));
    const shown = ['first_call.py', 'everything.py', 'with_asyncio.py', 'tour.py'];
    const programs = ['scenario.py', 'calls.py', 'test_streams.py', 'test_layer.py', 'refused_by_checker.py', ...shown];
    const packages = [client, ...addOns.python.map((name) => addOnFolder('python', name, CLIENTS))];
    const pip = [python, '-m', 'pip', 'install', '--quiet'] as const;
    const tried = join(folder, 'add-ons');
    const shownOfAddOns = addOns.python.map((name) => `${name}_readme.py`);
    const quietly = ['--follow-imports', 'silent'];
    return {
      build: [
        { line: ['python3', '-m', 'venv', environment], folder },
        { line: [...pip, ...PYTHON_TOOLS], folder },
        ...packages.map((each) => ({
          line: [python, '-m', 'build', '--no-isolation', '--outdir', 'packed', each] as const,
          folder,
        })),
        { line: ['sh', '-c', `${python} -m twine check --strict packed/*`], folder },
        { line: ['sh', '-c', `${pip.join(' ')} packed/*.whl ${PYTHON_OFFICIAL.join(' ')}`], folder },
        { line: ['sh', '-c', `${pip.join(' ')} --force-reinstall --no-deps packed/*.whl`], folder },
        { line: [python, '-m', 'compileall', '-q', join(client, 'sluice')], folder },
        {
          line: [python, '-m', 'mypy', '--strict', 'refused_add_ons.py', 'test_add_ons.py', ...shownOfAddOns],
          folder: tried,
        },
        { line: [python, '-m', 'pyright', '--pythonpath', python], folder: tried },
        { line: [python, '-m', 'mypy', '--strict', ...programs], folder },
        { line: [python, '-m', 'mypy', '--strict', ...quietly, ...layer], folder: client },
        { line: [python, '-m', 'pyright', '--pythonpath', python], folder },
      ],
      programs: [
        { language: 'python', file: 'first_call.py' },
        { language: 'python', word: 'reprice', file: 'everything.py' },
        { language: 'python', word: 'asyncio', file: 'with_asyncio.py' },
        ...addOnPrograms('python', 'python'),
      ],
      streams: { line: [python, '-m', 'unittest', 'test_streams'], folder },
      firstCall: { line: [python, 'first_call.py'], folder },
      following: ['everything.py', 'tour.py'].map((file) => ({ line: [python, file], folder })),
      scenario: { line: [python, 'scenario.py'], folder },
      layer: { line: [python, '-m', 'unittest', 'test_layer'], folder },
      calls: { line: [python, 'calls.py'], folder },
      addOns: [
        ...shownOfAddOns.map((file) => ({ line: [python, file] as const, folder: tried })),
        { line: [python, '-W', 'ignore', '-m', 'unittest', 'test_add_ons'], folder: tried },
      ],
    };
  },

  go: ({ client, folder }) => {
    // A machine with Go need not have a C compiler.
    const env = { CGO_ENABLED: '0' };
    return {
      build: [
        { line: ['go', 'build', './...'], folder: client, env },
        { line: ['go', 'vet', './...'], folder: client, env },
        { line: ['go', 'vet', './...'], folder, env },
        { line: ['go', 'build', '-o', 'bin/', './...'], folder, env },
      ],
      programs: [
        { language: 'go', file: 'firstcall/main.go' },
        { language: 'go', word: 'Reprice', file: 'everything/main.go' },
      ],
      streams: { line: ['go', 'test', '-count=1', './streams'], folder, env },
      firstCall: { line: ['bin/firstcall'], folder },
      following: [
        { line: ['bin/everything'], folder },
        { line: ['bin/tour'], folder },
      ],
      scenario: { line: ['bin/scenario'], folder },
      layer: { line: ['go', 'test', '-count=1', './layer'], folder, env },
      calls: { line: ['bin/calls'], folder },
    };
  },

  java: ({ client, folder }) => {
    const classPath = `classes:${client}/target/*:${client}/target/lib/*`;
    const own = ['Scenario.java', 'StreamsTest.java', 'LayerTest.java', 'Calls.java', 'Tour.java'];
    const programs = ['FirstCall.java', 'Everything.java', ...own];
    return {
      build: [
        { line: ['mvn', '--batch-mode', '--quiet', 'package'], folder: client },
        { line: ['javac', '-d', 'classes', '-cp', classPath, ...programs], folder },
      ],
      programs: [
        { language: 'java', file: 'FirstCall.java' },
        { language: 'java', word: 'reprice', file: 'Everything.java' },
      ],
      streams: { line: ['java', '-cp', classPath, 'StreamsTest'], folder },
      firstCall: { line: ['java', '-cp', classPath, 'FirstCall'], folder },
      following: ['Everything', 'Tour'].map((name) => ({
        line: ['java', '-cp', classPath, name] as const,
        folder,
      })),
      scenario: { line: ['java', '-cp', classPath, 'Scenario'], folder },
      layer: { line: ['java', '-cp', classPath, 'LayerTest'], folder },
      calls: { line: ['java', '-cp', classPath, 'Calls'], folder },
    };
  },
};

/** The first program in a Markdown text that is marked as `language` and has `word` in it. Throws when there is none. */
function programOf(markdown: string, language: string, word = ''): string {
  const programs = markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'));
  const found = [...programs].map(([, text = '']) => text).find((text) => text.includes(word));
  if (found === undefined) throw new Error(`There is no program in ${language}${word && ` with ${word}`}.`);
  return found;
}
