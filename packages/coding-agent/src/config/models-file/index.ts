/** The door of `models.yml`. */
export { describeProblem, loadModelsFile, type ModelsFile } from "./load.ts";
export type { ModelFacts, ProviderConfig } from "./schema.ts";
