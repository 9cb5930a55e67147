/** The door of providers and of the models that Tau knows from the start. */
export { addressOf, headersOf, keyFrom, keyVariables, missingFor, type FoundKey } from "./access.ts";
export { builtinModels, catalogueOrigin, type CatalogueEntry, type CatalogueOrigin } from "./catalogue.ts";
export { compatFlags } from "./compat-flags.ts";
export { discoveryTypes, type DiscoveryType, type Provider } from "./provider.ts";
export { providerOf, providers } from "./table.ts";
