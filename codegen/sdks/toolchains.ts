/**
 * The programs that generate and compile the clients, how to find out their versions, and how to install them. A client
 * needs those that generate it (Java, Maven) and those that compile it.
 */
import { execFile } from 'node:child_process';

/** A client, named by its language. */
export type Language = 'typescript' | 'python' | 'go' | 'java';

/** Every client, in the order in which they are reported. */
export const languages: readonly Language[] = ['typescript', 'python', 'go', 'java'];

/** Runs a command and returns its output on both streams; null when it cannot be run or fails. */
export type Probe = (command: string, args: readonly string[]) => Promise<string | null>;

interface Toolchain {
  readonly name: string;
  readonly neededBy: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Finds the version in what the command prints. */
  readonly version: RegExp;
  readonly least: readonly [major: number, minor: number];
  readonly debianPackages: readonly string[];
}

const java: Toolchain = {
  name: 'Java',
  neededBy: 'the generator',
  command: 'java',
  args: ['-version'],
  version: /version "(\d+)(?:\.(\d+))?/,
  least: [11, 0],
  debianPackages: ['default-jdk-headless'],
};

const maven: Toolchain = {
  name: 'Maven',
  neededBy: "the generator's download",
  command: 'mvn',
  args: ['--version'],
  version: /Apache Maven (\d+)\.(\d+)/,
  least: [3, 6],
  debianPackages: ['maven'],
};

const compilers: Readonly<Record<Language, readonly Toolchain[]>> = {
  // `npm ci` installs the TypeScript compiler.
  typescript: [],
  python: [
    {
      name: 'Python',
      neededBy: 'the Python client',
      command: 'python3',
      args: ['--version'],
      version: /Python (\d+)\.(\d+)/,
      least: [3, 10],
      debianPackages: ['python3'],
    },
    {
      name: 'Python with venv',
      neededBy: 'the Python client',
      command: 'python3',
      args: ['-c', 'import ensurepip, sys, venv; print(sys.version)'],
      version: /^(\d+)\.(\d+)/,
      least: [3, 10],
      debianPackages: ['python3-venv'],
    },
  ],
  go: [
    {
      name: 'Go',
      neededBy: 'the Go client',
      command: 'go',
      args: ['version'],
      version: /go version go(\d+)\.(\d+)/,
      least: [1, 23],
      debianPackages: ['golang-go'],
    },
  ],
  java: [
    {
      name: 'A Java compiler',
      neededBy: 'the Java client',
      command: 'javac',
      args: ['-version'],
      version: /javac (\d+)(?:\.(\d+))?/,
      least: [17, 0],
      debianPackages: ['default-jdk-headless'],
    },
  ],
};

/** A program that is missing or too old. */
export interface Missing {
  /** What is missing, what needs it and how to get it: a complete sentence. */
  readonly sentence: string;
  readonly debianPackages: readonly string[];
}

/** What is missing to generate clients, whatever their language. */
export function missingGenerators(probe: Probe = run): Promise<Missing[]> {
  return missingOf([java, maven], probe);
}

/** What is missing to generate, compile and run the clients of these languages. */
export function missingToolchains(chosen: readonly Language[], probe: Probe = run): Promise<Missing[]> {
  return missingOf([java, maven, ...chosen.flatMap((language) => compilers[language])], probe);
}

async function missingOf(toolchains: readonly Toolchain[], probe: Probe): Promise<Missing[]> {
  const missing = await Promise.all(toolchains.map((toolchain) => missingVersion(toolchain, probe)));
  return missing.filter((each) => each !== null);
}

async function missingVersion(toolchain: Toolchain, probe: Probe): Promise<Missing | null> {
  const { name, neededBy, command, args, version, least, debianPackages } = toolchain;
  const match = version.exec((await probe(command, args)) ?? '');
  const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (major > least[0] || (major === least[0] && minor >= least[1])) return null;
  const found = match ? `this machine has ${major}.${minor}` : `\`${command}\` does not run`;
  const needed = `${name} ${least[0]}${least[1] > 0 ? `.${least[1]}` : ''} or newer`;
  const sentence = `${needed} is missing (${found}); ${neededBy} needs it: apt-get install ${debianPackages.join(' ')}`;
  return { sentence, debianPackages };
}

const run: Probe = (command, args) =>
  new Promise((resolve) => {
    execFile(command, [...args], (error, stdout, stderr) => resolve(error ? null : `${stdout}${stderr}`));
  });
