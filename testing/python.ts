/** Python with packages, in an environment that is made for one test file; the test removes its folder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSTALL_MS_MAX = 300_000;
// Not compiled, which halves the number of files: an import compiles what it needs.
const PIP = '-m pip install --quiet --no-compile --disable-pip-version-check --retries 5 --timeout 30'.split(' ');

/** An environment. */
export interface PythonEnvironment {
  readonly folder: string;
  /** The command. */
  readonly python: string;
  /** Why there is none; false when there is. */
  readonly skip: string | false;
}

/** Makes the environment, with what pip takes as `packages`. */
export function pythonWith(packages: readonly string[]): PythonEnvironment {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
  const python = join(folder, 'bin', 'python');
  const steps = [
    ['python3', ['-m', 'venv', folder]],
    [python, [...PIP, ...packages]],
  ] as const;
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX });
    if (status === 0) continue;
    const skip = `${command} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr.slice(-300)}`;
    return { folder, python, skip };
  }
  return { folder, python, skip: false };
}
