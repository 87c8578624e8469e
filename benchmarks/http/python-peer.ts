/** Programs in Python that are installed from PyPI with pinned versions: each in a folder of `benchmarks/` with its requirements. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that is installed when it is first asked for. `name` is its folder and its package. */
export class PythonPeer {
  readonly #name: string;
  readonly #folder: string;

  constructor(name: string) {
    this.#name = name;
    this.#folder = join(import.meta.dirname, '..', name);
  }

  /** The version that is installed. */
  get version(): string {
    const requirements = readFileSync(join(this.#folder, 'requirements.txt'), 'utf8');
    return new RegExp(`^${this.#name}==(.*)$`, 'm').exec(requirements)?.[1] ?? '';
  }

  /** The path of its command, which it installs if it is missing. */
  command(): string {
    const venv = join(this.#folder, 'venv');
    const command = join(venv, 'bin', this.#name);
    if (existsSync(command)) return command;
    console.log(`Installing ${this.#name} into benchmarks/${this.#name}/venv …`);
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    run('python3', '-m', 'venv', venv);
    run(join(venv, 'bin/pip'), 'install', '--quiet', '--requirement', join(this.#folder, 'requirements.txt'));
    return command;
  }
}
