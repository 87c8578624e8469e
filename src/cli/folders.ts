/**
 * The folders that a gateway writes to, made and tried before it starts: one that may not be written would otherwise be
 * found out by the first caller with a large answer. The database's own folder is tried by opening the database.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import type { Config } from '#config.ts';
import { CommandError } from './output.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there; check its rights, or name another',
  EPERM: 'this user may not write there; check its rights, or name another',
  EROFS: 'its disk is mounted to be read only; name another folder',
  EEXIST: 'it is a file; name a folder',
  ENOTDIR: 'a part of its path is a file; name a folder',
  ENOSPC: 'the disk is full; make room',
};

/** Makes the folders that the configuration names. Throws CommandError naming the setting, the folder and the mend. */
export function prepareFolders({ dataFolder, market }: Config): void {
  prepare('SLUICE_DATA', dataFolder);
  if (market.recording !== null) prepare('market.recording', market.recording);
}

function prepare(setting: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code] ?? `it cannot be made or written, ${code}; name another folder`;
    throw new CommandError(`The folder ${folder} of ${setting} cannot be used: ${reason}.`);
  }
}
