/** The entry point `@tau/tools/lsp`. */
export { editDiagnostics } from "./diagnostics/after-edits.ts";
export { languageServers, type LanguageServers, type ServerStatus } from "./language-servers.ts";
