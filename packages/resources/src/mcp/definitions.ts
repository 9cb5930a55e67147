/** The entry point `@tau/resources/mcp/definitions`: which servers there are. A start needs no more; the client is loaded with the first. */
export { readServers } from "./read-file.ts";
export { type RegisteredMcpServer, RegisteredServers } from "./registered.ts";
export { commandsOf, targetOf } from "./target.ts";
export { meansServerTool } from "./tool-name.ts";
