/** The entry point `@tau/integrations/lsp`. */
export { editDiagnostics } from "./diagnostics/after-edits.ts";
export { openProblems, serversOf, type ServerStatus } from "./language-servers.ts";
export { projectServers } from "./servers/project-servers.ts";
