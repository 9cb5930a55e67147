/** The entry point of Tau as an MCP server. */
export { CallRequests, requestsOf } from "./elicit.ts";
export { serveHttp } from "./http.ts";
export { serveStdio } from "./stdio.ts";
export { Workspace } from "./workspace.ts";
