/**
 * The program of `scripts/test-generators`, which installs the generators and calls it with their folder. Starts a
 * gateway, has each generator make a client from its /openapi.json, compiles the client, and lets some of them call the
 * gateway. Prints what each did and how long it took, and exits 1 when one of them failed or complained.
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandFailed, reported, runCommand, type ShellCommand } from './command.ts';
import { openSdkGateway, type SdkGateway } from './sdk-gateway.ts';

const SOURCES = resolve('generator-tests');
const TYPESCRIPT_TOOLS = resolve('codegen/node_modules/.bin');
const [cache = ''] = process.argv.slice(2);
const WORK = resolve(cache, 'work');
const DOCUMENT = join(WORK, 'openapi.json');

interface Generator {
  readonly name: string;
  readonly generate: Line;
  readonly compile: Line;
  /** A program that calls the gateway with the client; it prints what it got. */
  readonly call?: Line;
}

type Line = ShellCommand['line'];

/** What a generator prints of something that it leaves out, whether or not it goes on. */
const COMPLAINT = /\bskip|omit|unsupported|not (implemented|supported)|cannot|unable|\bignor|⚠|^warning/im;

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    generate: [join(TYPESCRIPT_TOOLS, 'openapi-typescript'), DOCUMENT, '--output', 'openapi-typescript.ts'],
    compile: [join(TYPESCRIPT_TOOLS, 'tsc')],
  },
  {
    name: 'orval',
    generate: [
      resolve(cache, 'npm/node_modules/.bin/orval'),
      ...['--input', DOCUMENT, '--output', 'orval.ts', '--client', 'fetch'],
    ],
    compile: [join(TYPESCRIPT_TOOLS, 'tsc')],
  },
  {
    name: 'openapi-python-client',
    generate: [
      resolve(cache, 'python/bin/openapi-python-client'),
      ...['generate', '--path', DOCUMENT, '--output-path', 'client', '--meta', 'none', '--fail-on-warning'],
      ...['--config', join(SOURCES, 'openapi-python-client.yaml')],
    ],
    compile: [resolve(cache, 'python/bin/python'), '-m', 'compileall', '-q', 'client'],
    call: [resolve(cache, 'python/bin/python'), 'call.py'],
  },
  {
    name: 'oapi-codegen',
    generate: [
      ...(['go', 'tool', 'oapi-codegen', '-generate', 'types,client'] as const),
      ...['-package', 'oapi', '-o', 'oapi/client.go', DOCUMENT],
    ],
    compile: ['go', 'build', './oapi'],
  },
  {
    name: 'ogen',
    generate: ['go', 'tool', 'ogen', '--target', 'ogen', '--package', 'ogen', '--clean', DOCUMENT],
    compile: ['go', 'build', '-o', 'call', '.'],
    call: ['./call'],
  },
];

await rm(WORK, { recursive: true, force: true });
await mkdir(join(WORK, 'oapi'), { recursive: true });
await cp(join(SOURCES, 'go'), WORK, { recursive: true });
for (const name of ['call.py', 'tsconfig.json']) await cp(join(SOURCES, name), join(WORK, name));
const gateway = await openSdkGateway();
try {
  await writeFile(DOCUMENT, await (await fetch(`${gateway.url}/openapi.json`)).text());
  let passed = true;
  for (const generator of generators) passed = (await tried(generator, gateway)) && passed;
  process.exitCode = passed ? 0 : 1;
} finally {
  await gateway.close();
}

/** Makes, compiles and uses one client, prints what happened, and returns whether it passed. */
function tried({ name, generate, compile, call }: Generator, { url, openAccount }: SdkGateway): Promise<boolean> {
  const run = (line: Line, env = {}) => runCommand({ line, folder: WORK, env });
  return reported(name, async (step) => {
    const printed = await step('generate', () => run(generate));
    const complaints = printed.split('\n').filter((line) => COMPLAINT.test(line));
    if (complaints.length > 0) throw new CommandFailed(`${name} complained.`, complaints.join('\n'));
    await step('compile', () => run(compile));
    const env = { SLUICE_URL: url, SLUICE_KEY: await openAccount(name) };
    if (call) console.log(await step('call', () => run(call, env)));
  });
}
