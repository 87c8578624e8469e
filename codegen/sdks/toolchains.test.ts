import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languages, missingGenerators, missingToolchains, type Probe } from './toolchains.ts';

const COMPLETE: Readonly<Record<string, string>> = {
  java: 'openjdk version "17.0.15" 2025-04-15',
  javac: 'javac 17.0.15',
  mvn: '\u001b[1mApache Maven 3.8.7\u001b[m',
  'python3 --version': 'Python 3.11.7',
  'python3 -c': '3.11.7 (main)',
  go: 'go version go1.26.8 linux/amd64',
};

function machine(changes: Readonly<Record<string, string | null>> = {}): Probe {
  const printed = { ...COMPLETE, ...changes };
  return async (command, args) => printed[`${command} ${args[0]}`] ?? printed[command] ?? null;
}

describe('toolchains', () => {
  it('finds nothing missing on a machine that has all', async () => {
    assert.deepEqual(await missingToolchains(languages, machine()), []);
  });

  it('says what is missing, what needs it and how to get it', async () => {
    assert.deepEqual(await missingGenerators(machine({ java: null })), [
      {
        sentence:
          'Java 11 or newer is missing (`java` does not run); the generator needs it: apt-get install default-jdk-headless',
        debianPackages: ['default-jdk-headless'],
      },
    ]);
  });

  it('reports a version that is too old', async () => {
    const [missing] = await missingToolchains(['go'], machine({ go: 'go version go1.19.8 linux/amd64' }));
    assert.match(missing?.sentence ?? '', /^Go 1\.23 or newer is missing \(this machine has 1\.19\)/);
  });

  it('distinguishes a Python without venv from a missing Python', async () => {
    const missing = await missingToolchains(['python'], machine({ 'python3 -c': null }));
    assert.deepEqual(
      missing.flatMap(({ debianPackages }) => debianPackages),
      ['python3-venv'],
    );
  });

  it('does not require the compilers of other languages', async () => {
    const noCompilers = { javac: null, 'python3 --version': null, 'python3 -c': null, go: null };
    assert.deepEqual(await missingToolchains(['typescript'], machine(noCompilers)), []);
    assert.equal((await missingToolchains(languages, machine(noCompilers))).length, 4);
  });
});
