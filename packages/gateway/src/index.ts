/** Models behind one address: the entry point of the gateway and the credential broker. */
export * from "./access/index.ts";
export { Gateway, type EndedAnswer, type GatewayOptions } from "./gateway/server.ts";
export type { CredentialState, Lease, Upstream } from "./gateway/upstream.ts";
export * from "./keys/index.ts";
