/**
 * Builds the pages of console/ for browsers, in memory, to be written to generated/ or compared with it. The names of
 * files contain a hash of their content, so that a browser may keep them for ever; nothing depends on the time or the
 * folder of the build.
 */
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

const ROOT = new URL('../console/', import.meta.url);
const PAGES = ['index.html', 'settings.html', 'console.html', 'sign-in.html', 'nothing.html'];

/** Files of generated/console by name. Throws when the sources cannot be built. */
export function consoleFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  return pageFiles(PAGES, '/');
}

/** These pages and their assets by name, to be served below `base`. Throws when the sources cannot be built. */
export async function pageFiles(
  pages: readonly string[],
  base: string,
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const built = await build({
    configFile: false,
    root: fileURLToPath(ROOT),
    base,
    mode: 'production',
    logLevel: 'error',
    publicDir: false,
    envDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      rolldownOptions: { input: pages.map((name) => fileURLToPath(new URL(name, ROOT))) },
      target: 'es2023',
      // The first that know light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      // A data: address would need an exception in the content security policy.
      assetsInlineLimit: 0,
    },
  });
  const files = (Array.isArray(built) ? built : [built as Rolldown.RolldownOutput]).flatMap(({ output }) => output);
  return new Map(files.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
}
