// Written by codegen/generate.ts from openapi/console.yaml (sha256 a6d05461bf24a1ce3b739d1a86711bf8d7ca75e16aad52299909140a5d0e5d1c). Do not edit.
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
  readonly "signInWithPassword": Validator<NonNullable<operations['signInWithPassword']['requestBody']>['content']['application/json']>;
  readonly "setPassword": Validator<NonNullable<operations['setPassword']['requestBody']>['content']['application/json']>;
  readonly "createKey": Validator<NonNullable<operations['createKey']['requestBody']>['content']['application/json']>;
};
