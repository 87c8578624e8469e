// Written by codegen/generate.ts from openapi/console.yaml (sha256 51d7e062cec8b3af255e5eb5b47443389e5419b2ab4fbeaf87cbc710f6adcd31). Do not edit.
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
  readonly "createKey": Validator<NonNullable<operations['createKey']['requestBody']>['content']['application/json']>;
};
