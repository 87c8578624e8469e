// Written by codegen/generate.ts from src/cluster/messages.schema.yaml (sha256 2d5aed2ec079167d53b5541072b0cc88507ebd5bd12cfe0690d194f1a549b239). Do not edit.
/** Whether a value is a message of a gateway: its type and its required fields. */
export declare const isPeerMessage: (value: unknown) => boolean;
/** Whether a value is what a gateway says first when it dials another one. */
export declare const isGreeting: (value: unknown) => boolean;
/** Whether a value is the next message of both. */
export declare const isHello: (value: unknown) => boolean;
