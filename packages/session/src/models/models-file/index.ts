/** The entry point of `models.yml`. */
export { loadModelsFile, type ModelsFile } from "./load.ts";
export type { EquivalenceConfig, ModelFacts, ProviderConfig } from "./schema.ts";
