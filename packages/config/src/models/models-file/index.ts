/** The entry point of `models.yml`. */
export { loadModelsFile, type ModelsFile } from "./load.ts";
export { addOtherPrograms } from "./other-programs.ts";
export type { EquivalenceConfig, ModelFacts, ProviderConfig } from "./schema.ts";
