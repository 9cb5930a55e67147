/** The part of @tau/ai that runs in browsers too: asking a model with a key at hand. */
export { accessOptions, modelAt, type Access } from "./access.ts";
export { failure } from "./failure.ts";
export { MessageBuilder } from "./message-builder.ts";
export { stream, streamByCodec } from "./stream.ts";
export * from "./types.ts";
