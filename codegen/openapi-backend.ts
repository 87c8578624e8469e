/**
 * Bundles the dispatcher of openapi-backend, in memory, to be written to generated/openapi-backend/ or compared with it.
 * The package loads a validator, a resolver of references and a generator of examples at every start: 140 modules, of
 * which the gateway needs none, because it assigns a router and a validator of its own. Decision 25.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Modules that only `init` uses, which we never call. A use of one throws a TypeError; no check is skipped silently. */
const LEFT_OUT = [
  './refparser',
  './router',
  './utils',
  './validation',
  'dereference-json-schema',
  'mock-json-schema',
  'openapi-schema-validator',
];

/** What dispatch uses of lodash, by what the language has. */
const LODASH = `exports.flatMap = (list, each) => list.flatMap((item) => each(item));
exports.keys = Object.keys;
exports.includes = (list, item) => list.includes(item);
`;

/** Files of generated/openapi-backend by name. */
export async function backendFiles(): Promise<ReadonlyMap<string, string>> {
  const packageJson = createRequire(import.meta.url).resolve('openapi-backend/package.json');
  const { version } = JSON.parse(await readFile(packageJson, 'utf8')) as { version: string };
  const license = await readFile(new URL('LICENSE', `file://${packageJson}`), 'utf8');
  const stamp = `Written by codegen/generate.ts from openapi-backend ${version}. Do not edit.`;
  return new Map([
    ['backend.js', `/*! ${stamp}\n\n${license.trim()}\n*/\n${await bundled()}`],
    ['backend.d.ts', `// ${stamp}\n${DECLARATIONS}`],
  ]);
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export { OpenAPIBackend } from 'openapi-backend/backend.js';",
      resolveDir: ROOT,
    },
    // The bundle names its sources by their paths from there, wherever node_modules is.
    absWorkingDir: ROOT,
    preserveSymlinks: true,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    plugins: [
      {
        name: 'dispatch-only',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /./ }, ({ path }) =>
            path === 'lodash' || LEFT_OUT.includes(path) ? { path, namespace: 'left-out' } : undefined,
          );
          onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
            contents: path === 'lodash' ? LODASH : 'exports.__esModule = true;',
          }));
        },
      },
    ],
  });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild wrote nothing.');
  return file.text;
}

const DECLARATIONS = `import type { ValidationError } from '../validators.js';

/** What a handler gets. */
export interface Context<Call, Operation> {
  /** What the router made of the request. */
  readonly request: Call;
  /** What the router matched. Undefined in \`notFound\`, in \`methodNotAllowed\` and in \`postRoutingHandler\` before them. */
  readonly operation: Operation;
  /** What each security handler returned, by its scheme, or \`{error}\` with what it threw. */
  readonly security: Readonly<Record<string, unknown>> & { readonly authorized: boolean };
  /** What the validator found; undefined before it runs. */
  readonly validation: Validation;
}

/** The errors of a request; null for none. */
export interface Validation {
  readonly errors: readonly ValidationError[] | null;
}

export type Handler<Call, Operation, Answer = unknown> = (
  context: Context<Call, Operation>,
) => Answer | Promise<Answer>;

export type Handlers<Call, Operation, Answer = unknown> = Readonly<Record<string, Handler<Call, Operation, Answer>>>;

/** What dispatch reads of the document. */
export interface Definition {
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
}

/**
 * The dispatcher of openapi-backend. \`definition\`, \`router\` and \`validator\` are assigned, and \`initialized\` is set,
 * instead of calling \`init\`.
 */
export declare class OpenAPIBackend<Call, Operation, Answer> {
  constructor(options: {
    readonly definition: Definition;
    readonly strict: boolean;
    readonly validate: (context: Context<Call, Operation>) => boolean;
  });
  definition: Definition;
  router: {
    /** Called once before the operation is known and once after. */
    parseRequest(call: Call, operation?: Operation): Call;
    /** Throws an error whose message begins with 404 or 405. */
    matchOperation(call: Call): Operation;
    getOperation(operationId: string): Operation | undefined;
  };
  validator: {
    readonly coerceTypes: false;
    validateRequest(call: Call, operation: Operation): Validation;
  };
  initialized: boolean;
  /** Throws when a handler is neither of an operation nor of a step. */
  register(handlers: Handlers<Call, Operation>): void;
  /** Throws when the document has no such scheme. */
  registerSecurityHandler(scheme: string, handler: Handler<Call, Operation>): void;
  /** Rejects with what a handler threw. */
  handleRequest(call: Call): Promise<Answer>;
}
`;
