/** The door of the models. */
export { Draft } from "./draft.ts";
export { failure } from "./failure.ts";
export { builtinModels } from "./providers/catalogue.ts";
export { providers, type Provider } from "./providers/table.ts";
export { knownApis, registerApi, stream } from "./stream.ts";
export * from "./types.ts";
