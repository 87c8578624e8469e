// Written by codegen/generate.ts from src/config/schema.yaml (sha256 9c8b71f0758ed3097dca74227cd74c75158f6510c37e5d8a713903d32a6e5fc7). Do not edit.
import type { ValidationError } from '../validators.js';
import type { Configuration, Limits } from './configuration-types.ts';

/** An error of ajv, with the schema that refused the value. */
export interface SchemaError extends ValidationError {
  readonly parentSchema: Readonly<Record<string, unknown>>;
}

/** Whether a value fits, once absent keys have their defaults, which are set. After a failure `errors` has the first error. */
export interface SchemaValidator<Shape> {
  (value: unknown): value is Shape;
  errors?: readonly SchemaError[] | null;
}

/** The whole file. */
export declare const isConfiguration: SchemaValidator<Configuration>;
/** What is below `limits`. */
export declare const isLimits: SchemaValidator<Limits>;
