// Written by codegen/generate.ts from openapi.yaml (sha256 ec47eca0e305238f53faa87c677f24c6055436a4fbc382c848a3d32dfdad8e4f). Do not edit.
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
  readonly "createChatCompletion": Validator<NonNullable<operations['createChatCompletion']['requestBody']>['content']['application/json']>;
  readonly "createCompletion": Validator<NonNullable<operations['createCompletion']['requestBody']>['content']['application/json']>;
  readonly "createResponse": Validator<NonNullable<operations['createResponse']['requestBody']>['content']['application/json']>;
  readonly "createMessage": Validator<NonNullable<operations['createMessage']['requestBody']>['content']['application/json']>;
  readonly "countMessageTokens": Validator<NonNullable<operations['countMessageTokens']['requestBody']>['content']['application/json']>;
  readonly "repriceOrders": Validator<NonNullable<operations['repriceOrders']['requestBody']>['content']['application/json']>;
  readonly "updateAccount": Validator<NonNullable<operations['updateAccount']['requestBody']>['content']['application/json']>;
  readonly "createBatch": Validator<NonNullable<operations['createBatch']['requestBody']>['content']['application/json']>;
};
