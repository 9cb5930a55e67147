/** The entry point `@tau/config/models`. */
export { askRole } from "./ask-role.ts";
export { modelBeside, chosenForRole, modelForRole, namedModel } from "./role-model.ts";
export {
	type Choice,
	checkRoles,
	chooseModel,
	makeReady,
	modelOfFlag,
	type ModelRequest,
} from "./choose-model.ts";
export { KeySource } from "./key-source.ts";
export { limits as modelsLimits } from "./limits.ts";
export {
	ModelRegistry,
	type ProvidedProvider,
	type RegistryOptions,
	type KeyHolder,
} from "./model-registry.ts";
export { preferred, resolveModel, selector } from "./model-resolver.ts";
export { borrowedFrom, followRole, suggestedFor } from "./model-roles.ts";
export { type ScopedModel, scopeOf } from "./model-scope.ts";
export { type ModelRole, modelRoles, noModelSettings } from "./model-settings.ts";
export { type ModelsFile, type ProviderConfig, loadModelsFile } from "./models-file/index.ts";
export { missingFields, providerSchema } from "./models-file/schema.ts";
export { configuredBroker, credentialsPath, openCredentialStore } from "./open-credentials.ts";
export { loadUserModels, openRegistry, storedLogins } from "./open-registry.ts";
export type { UsableModels } from "./usable-models.ts";
export type { FallbackModel } from "./model-registry.ts";
export { readBounded } from "./discovery/ask.ts";
export { roleOf } from "./model-roles.ts";
export { matchesModel } from "./model-scope.ts";
