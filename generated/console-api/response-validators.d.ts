// Written by codegen/generate.ts from openapi/console.yaml (sha256 16b7487cccc14e28ec7da88a71cf2d107eb659c3867296e8fb16cc4b41b6803a). Do not edit.
import type { components, operations } from './types.ts';
import type { Validator } from './validators.js';

/** Validators of JSON responses, by `operationId status`. */
export declare const responseBodies: {
  readonly "getSession 200": Validator<operations['getSession']['responses'][200]['content']['application/json']>;
  readonly "getSession 401": Validator<operations['getSession']['responses'][401]['content']['application/problem+json']>;
  readonly "getSession 403": Validator<operations['getSession']['responses'][403]['content']['application/problem+json']>;
  readonly "getSession 429": Validator<operations['getSession']['responses'][429]['content']['application/problem+json']>;
  readonly "getSession 503": Validator<operations['getSession']['responses'][503]['content']['application/problem+json']>;
  readonly "signOut 401": Validator<operations['signOut']['responses'][401]['content']['application/problem+json']>;
  readonly "signOut 403": Validator<operations['signOut']['responses'][403]['content']['application/problem+json']>;
  readonly "signOut 429": Validator<operations['signOut']['responses'][429]['content']['application/problem+json']>;
  readonly "signOut 503": Validator<operations['signOut']['responses'][503]['content']['application/problem+json']>;
  readonly "signInWithLink 200": Validator<operations['signInWithLink']['responses'][200]['content']['application/json']>;
  readonly "signInWithLink 400": Validator<operations['signInWithLink']['responses'][400]['content']['application/problem+json']>;
  readonly "signInWithLink 401": Validator<operations['signInWithLink']['responses'][401]['content']['application/problem+json']>;
  readonly "signInWithLink 403": Validator<operations['signInWithLink']['responses'][403]['content']['application/problem+json']>;
  readonly "signInWithLink 413": Validator<operations['signInWithLink']['responses'][413]['content']['application/problem+json']>;
  readonly "signInWithLink 429": Validator<operations['signInWithLink']['responses'][429]['content']['application/problem+json']>;
  readonly "signInWithLink 503": Validator<operations['signInWithLink']['responses'][503]['content']['application/problem+json']>;
  readonly "getConsoleOpenapi 200": Validator<operations['getConsoleOpenapi']['responses'][200]['content']['application/json']>;
  readonly "getConsoleOpenapi 429": Validator<operations['getConsoleOpenapi']['responses'][429]['content']['application/problem+json']>;
};

/** Validators of the JSON in one frame of a stream, by operationId. */
export declare const streamFrames: {

};
