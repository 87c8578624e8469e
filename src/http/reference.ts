/**
 * The API reference at /docs/reference: Swagger UI, served from our own disk, shows /openapi.json. The content security
 * policy makes sure that nothing is fetched from elsewhere.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Router } from 'express';
import { pagePolicy } from './pages.ts';

const PAGE = readFileSync(new URL('./reference.html', import.meta.url), 'utf8');
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Inline styles are allowed because Swagger UI's script sets them; scripts come from files only. */
const POLICY = pagePolicy("'none'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:");

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves GET and HEAD of the reference and of the few files that it needs; passes on the rest. To be mounted at /docs/reference. */
export function referenceRouter(): Router {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const router = Router();
  router.use((_request, response, next) => {
    response.set({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    next();
  });
  router.get('/', (_request, response) => void response.type('html').send(PAGE));
  router.get('/start.js', (_request, response) => void response.type('js').send(START));
  for (const file of FILES) {
    router.get(`/${file}`, (_request, response) => response.sendFile(file, { root, maxAge: '1d' }));
  }
  return router;
}
