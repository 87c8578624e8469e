// Written by codegen/generate.ts from openapi/console.yaml (sha256 16b7487cccc14e28ec7da88a71cf2d107eb659c3867296e8fb16cc4b41b6803a). Do not edit.
import type { operations } from './types.ts';

/** An error of ajv; `instancePath` is a JSON pointer into the value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Whether a value has the documented shape. After a failure `errors` has the first error. */
export interface Validator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly ValidationError[] | null;
}

/** Validators of JSON request bodies, by operationId. */
export declare const requestBodies: {
  readonly "signInWithLink": Validator<NonNullable<operations['signInWithLink']['requestBody']>['content']['application/json']>;
};
