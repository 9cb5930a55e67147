/** The public interface of providers and built-in models. */
export { addressOf, headersOf, keyFrom, keyVariables, missingFor, type ResolvedKey } from "./access.ts";
export { builtinModels, catalogueOrigin, type CatalogueEntry, type CatalogueOrigin } from "./catalogue.ts";
export { compatFlags } from "./compat-flags.ts";
export { discoveryTypes, type DiscoveryType, type Provider } from "./provider.ts";
export { serviceKey, services, type Service } from "./services.ts";
export { providerOf, providers } from "./table.ts";
