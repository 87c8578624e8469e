/**
 * How each language compiles and tests its client: in a folder of its own under generated/sdks/build with the scenario
 * of sdk-tests/ and the first program of the client's README, so nothing is built among sources.
 */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clientFolder } from '#codegen/sdks/generate.ts';
import type { Language } from '#codegen/sdks/toolchains.ts';
import type { ShellCommand } from './command.ts';
import { programOf } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'generated/sdks/build');

/** Python's compiler does not check types. */
const TYPE_CHECKER = 'mypy==2.4.1';

/** What to run for one language, in order. */
export interface SdkBuild {
  /** Compiles the client, then what uses it. */
  readonly build: readonly ShellCommand[];
  /** The program of the client's README. */
  readonly firstCall: ShellCommand;
  readonly scenario: ShellCommand;
}

type Recipe = (place: { readonly client: string; readonly folder: string }) => SdkBuild & {
  /** The README's mark for its program, and the program's path in the folder. */
  readonly program: { readonly language: string; readonly file: string };
};

/** Recreates the folder of a language. The client must have been generated. */
export async function sdkBuildOf(language: Language): Promise<SdkBuild> {
  const client = clientFolder(language);
  const folder = join(BUILD, language);
  const { program, ...build } = recipes[language]({ client, folder });
  await rm(folder, { recursive: true, force: true });
  await cp(join(ROOT, 'sdk-tests', language), folder, { recursive: true });
  const firstCall = join(folder, program.file);
  await mkdir(dirname(firstCall), { recursive: true });
  await writeFile(firstCall, programOf(await readFile(join(client, 'README.md'), 'utf8'), program.language));
  if (language === 'typescript') await linkPackage(client, folder);
  return build;
}

/** Like `npm install` of a folder, without a registry. */
async function linkPackage(client: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'));
  await symlink(client, join(folder, 'node_modules/sluice-client'));
}

const recipes: Readonly<Record<Language, Recipe>> = {
  typescript: ({ client, folder }) => ({
    build: [
      { line: ['tsc'], folder: client },
      { line: ['tsc'], folder },
    ],
    program: { language: 'ts', file: 'first-call.ts' },
    firstCall: { line: ['node', 'first-call.ts'], folder },
    scenario: { line: ['node', 'scenario.ts'], folder },
  }),

  python: ({ client, folder }) => {
    // Kept between runs, with the dependencies of the client.
    const environment = join(BUILD, 'python-environment');
    const python = join(environment, 'bin/python');
    return {
      build: [
        { line: ['python3', '-m', 'venv', environment], folder },
        { line: [python, '-m', 'pip', 'install', '--quiet', client, TYPE_CHECKER], folder },
        { line: [python, '-m', 'compileall', '-q', join(client, 'sluice_client')], folder },
        { line: [python, '-m', 'mypy', '--strict', 'scenario.py', 'first_call.py'], folder },
      ],
      program: { language: 'python', file: 'first_call.py' },
      firstCall: { line: [python, 'first_call.py'], folder },
      scenario: { line: [python, 'scenario.py'], folder },
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
      program: { language: 'go', file: 'firstcall/main.go' },
      firstCall: { line: ['bin/firstcall'], folder },
      scenario: { line: ['bin/scenario'], folder },
    };
  },

  java: ({ client, folder }) => {
    const classPath = `classes:${client}/target/*:${client}/target/lib/*`;
    return {
      build: [
        { line: ['mvn', '--batch-mode', '--quiet', 'package'], folder: client },
        { line: ['javac', '-d', 'classes', '-cp', classPath, 'FirstCall.java', 'Scenario.java'], folder },
      ],
      program: { language: 'java', file: 'FirstCall.java' },
      firstCall: { line: ['java', '-cp', classPath, 'FirstCall'], folder },
      scenario: { line: ['java', '-cp', classPath, 'Scenario'], folder },
    };
  },
};
