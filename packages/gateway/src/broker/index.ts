/** The entry point `@tau/gateway/broker`. */
export { currentToken, ensureToken, localUrl, parseBind, tokenPath } from "../access/index.ts";
export { BrokerServer, type BrokerOptions } from "./server.ts";
