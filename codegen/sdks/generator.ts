/**
 * The client generator: one jar of one version from Maven Central, fetched by Maven itself so that mirrors and proxies
 * of the machine's settings.xml hold, and run only when its checksum is the one below.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';
/** Of the jar on Maven Central. A new version of the generator means a new checksum, and a look at what changed. */
const SHA_256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';
/** The configurations name their templates from here. */
const ROOT = join(import.meta.dirname, '../..');
const DOWNLOADER = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

const execute = promisify(execFile);

/** Puts the jar into `folder`; by Maven, unless a test brings its own. */
export type Download = (folder: string) => Promise<void>;

/** The jar of the generator in `folder`, downloaded when it is not there. Throws, and removes it, when it is another. */
export async function generatorJar(folder: string, download: Download = downloadByMaven): Promise<string> {
  const [, name, version] = GENERATOR.split(':');
  const jar = `${folder}/${name}-${version}.jar`;
  if ((await checksumOf(jar)) === null) await download(folder);
  const checksum = await checksumOf(jar);
  if (checksum === SHA_256) return jar;
  await rm(jar, { force: true });
  throw new Error(`${GENERATOR} has the SHA-256 ${checksum}, and not ${SHA_256}: it was not used, and is removed.`);
}

async function downloadByMaven(folder: string): Promise<void> {
  const goal = [`${DOWNLOADER}:copy`, `-Dartifact=${GENERATOR}`, `-DoutputDirectory=${folder}`];
  await execute('mvn', ['--batch-mode', '--quiet', ...goal]).catch((error: { stdout: string }) => {
    throw new Error(`Maven could not fetch ${GENERATOR}; a mirror goes into ~/.m2/settings.xml.\n${error.stdout}`);
  });
}

/** Null when there is no such file. */
async function checksumOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

/** Where a client comes from and goes to, all of them paths. */
export interface Generation {
  readonly jar: string;
  readonly configuration: string;
  readonly document: string;
  readonly folder: string;
  readonly version: string;
}

/** Runs the generator once. Throws with what it printed when it fails. */
export async function runGenerator({ jar, configuration, document, folder, version }: Generation): Promise<void> {
  // A run takes three seconds, most of them start: the quick compiler of the JVM halves that.
  const jvm = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', jar];
  const places = ['generate', '-c', configuration, '-i', document, '-o', folder];
  const scope = ['--global-property', 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false'];
  const versions = ['npmVersion', 'packageVersion', 'artifactVersion'].map((name) => `${name}=${version}`).join(',');
  const args = [...jvm, ...places, ...scope, '--additional-properties', versions];
  await execute('java', args, { cwd: ROOT, maxBuffer: 2 ** 26 }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`The generator failed on ${configuration}.\n${error.stdout}${error.stderr}`);
  });
}
