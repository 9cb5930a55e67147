/** The entry point `@tau/tools/lsp`. */
export { editDiagnostics } from "./diagnostics/after-edits.ts";
