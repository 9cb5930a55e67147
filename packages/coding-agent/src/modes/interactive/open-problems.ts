/** What language servers have found: a module of its own, because whatever starts imports the rest of their entry point. */
export { openProblems } from "@tau/tools/lsp";
