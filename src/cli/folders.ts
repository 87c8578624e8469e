/**
 * Creates and checks the folders that a gateway writes to, before it starts: otherwise the first caller with a large
 * response would find out that one is not writable. Opening the database checks the folder of the database.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import type { Config } from '#config/config.ts';
import { CommandError } from './output.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user cannot write there; check the permissions, or name another folder',
  EPERM: 'this user cannot write there; check the permissions, or name another folder',
  EROFS: 'its disk is mounted read-only; name another folder',
  EEXIST: 'it is a file; name a folder',
  ENOTDIR: 'a part of its path is a file; name a folder',
  ENOSPC: 'the disk is full; make room',
};

/** Creates the folders of the configuration. Throws CommandError that names the setting, the folder and what to do. */
export function prepareFolders({ dataFolder, dataBucket, market }: Config): void {
  prepare(dataBucket ? 'SLUICE_SPILL' : 'SLUICE_DATA', dataFolder);
  if (market.recording !== null) prepare('market.recording', market.recording);
}

function prepare(setting: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code] ?? `it cannot be created or written (${code}); name another folder`;
    throw new CommandError(`The folder ${folder} of ${setting} cannot be used: ${reason}.`);
  }
}
