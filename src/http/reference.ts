/**
 * The API reference at /docs/reference: Swagger UI, served from our own disk, shows /openapi.json. The content security
 * policy makes sure that nothing is fetched from elsewhere.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { type KeptFile, keptFile, mediaTypeOf } from './kept-file.ts';
import { PAGE_HEADERS, pagePolicy } from './pages.ts';

/** Inline styles are allowed because Swagger UI's script sets them; scripts come from files only. */
const PROTECTION = {
  ...PAGE_HEADERS,
  'content-security-policy': pagePolicy("'none'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:"),
};

/** Of the package, and beside this file. */
const PACKAGE = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const OWN = { '': 'reference.html', 'reference.css': 'reference.css', 'start.js': 'reference.js' };

/** Serves GET and HEAD of the reference and of the few files that it needs; passes on the rest. To be mounted at /docs/reference. */
export function referenceRouter(): Router {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const router = Router();
  const serve = (address: string, type: string, read: () => Buffer) =>
    router.get(
      `/${address}`,
      keptWhenAsked(() => keptFile(read(), { type, caching: 'no-cache', protection: PROTECTION })),
    );
  for (const [address, name] of Object.entries(OWN))
    serve(address, mediaTypeOf(name), () => readFileSync(new URL(name, import.meta.url)));
  for (const name of PACKAGE) serve(name, mediaTypeOf(name), () => readFileSync(join(root, name)));
  return router;
}

/** Reads it at the first request. */
function keptWhenAsked(make: () => KeptFile): RequestHandler {
  let file: KeptFile | null = null;
  return (request, response) => {
    file ??= make();
    void file(request, response);
  };
}
