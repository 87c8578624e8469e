/**
 * The client generator: the program `openapi-generator-cli` and a jar of one version from Maven Central. The program
 * would download a missing jar without checking it. So Maven fetches the jar first, with the mirrors and proxies of
 * settings.xml, and the program runs only when the jar has the checksum below.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import settings from './openapitools.json' with { type: 'json' };
import packages from './packages.json' with { type: 'json' };

/** The program uses its version as the name of the jar file. */
const { version: JAR, storageDir } = settings['generator-cli'];
const GENERATOR = JAR.replace(/^(.*)-/, 'org.openapitools:$1:');
/** Of the jar on Maven Central. A new version of the generator needs a new checksum, and a review of its changes. */
const SHA_256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';
/** The paths in the configurations and in openapitools.json are relative to this folder. */
const ROOT = join(import.meta.dirname, '../..');
const SETTINGS = join(import.meta.dirname, 'openapitools.json');
const PROGRAM = fileURLToPath(import.meta.resolve('@openapitools/openapi-generator-cli/main.js'));
const DOWNLOADER = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

const execute = promisify(execFile);

/** The names of packages.json, as the generators and our templates call them. */
const [groupId, artifactId] = packages.maven.split(':');
const NAMES = Object.entries({
  ...{ npmName: packages.npm, projectName: packages.pypi, groupId, artifactId },
  ...{ repositoryUrl: packages.repository, homepageUrl: packages.homepage },
});
const [host = '', user = '', repository = ''] = packages.go.split('/');
const GO_MODULE = ['--git-host', host, '--git-user-id', user, '--git-repo-id', repository];

/** Puts the jar into `folder`: with Maven, unless a test passes its own. */
export type Download = (folder: string) => Promise<void>;

/** Makes sure that the jar is where the program looks for it. Throws, and removes the jar, on another checksum. */
export async function fetchJar(folder = join(ROOT, storageDir), download: Download = downloadByMaven): Promise<void> {
  const jar = join(folder, `${JAR}.jar`);
  if ((await checksumOf(jar)) === null) await download(folder);
  const checksum = await checksumOf(jar);
  if (checksum === SHA_256) return;
  await rm(jar, { force: true });
  throw new Error(`${GENERATOR} has the SHA-256 ${checksum} instead of ${SHA_256}: it was removed without being used.`);
}

async function downloadByMaven(folder: string): Promise<void> {
  const goal = [`${DOWNLOADER}:copy`, `-Dartifact=${GENERATOR}`, `-DoutputDirectory=${folder}`];
  await execute('mvn', ['--batch-mode', '--quiet', ...goal]).catch((error: { stdout: string }) => {
    throw new Error(`Maven could not fetch ${GENERATOR}; a mirror can be set in ~/.m2/settings.xml.\n${error.stdout}`);
  });
}

/** Null when the file does not exist. */
async function checksumOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

/** The paths of the sources and the target of a client. */
export interface Generation {
  readonly configuration: string;
  readonly document: string;
  readonly folder: string;
  readonly version: string;
}

/** Runs the generator once, with the jar of `fetchJar`. Throws with its output when it fails. */
export async function runGenerator({ configuration, document, folder, version }: Generation): Promise<void> {
  const places = ['generate', '-c', quoted(configuration), '-i', quoted(document), '-o', quoted(folder)];
  const scope = ['--global-property', 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false'];
  const versions = ['npmVersion', 'packageVersion', 'artifactVersion'].map((name) => [name, version] as const);
  const properties = [...versions, ...NAMES].map(([name, value]) => `${name}=${value}`).join(',');
  const args = [...places, ...scope, ...GO_MODULE, '--additional-properties', properties];
  // A run takes three seconds, most of them to start: using only the fast compiler of the JVM halves that.
  const JAVA_OPTS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
  const env = { ...process.env, PWD: ROOT, JAVA_OPTS };
  const command = [PROGRAM, '--openapitools', SETTINGS, ...args];
  const options = { cwd: ROOT, env, maxBuffer: 2 ** 26 };
  await execute(process.execPath, command, options).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`The generator failed on ${configuration}.\n${error.stdout}${error.stderr}`);
  });
}

/** The program passes its arguments to a shell without quoting them. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
