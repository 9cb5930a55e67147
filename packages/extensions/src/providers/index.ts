/** The entry point `@tau/extensions/providers`. */
export { laterStream } from "./later-stream.ts";
export { streamInScope } from "./scoped-stream.ts";
export { type AuthAccess, ModelAccess } from "./model-access.ts";
export type { AuthInteraction, NativeProvider, RequestAuth } from "./native-provider.ts";
export { noKey, realKey } from "./no-key.ts";
export { commonOptions, type ProtocolOptions } from "./protocol-options.ts";
export { registerProvider, unregisterProvider } from "./providers.ts";
export { virtualStateEntry } from "./virtual-routes.ts";
export { defaultProviderAuthContext, type AuthContext } from "./auth-context.ts";
export { providerLabel } from "./providers.ts";
