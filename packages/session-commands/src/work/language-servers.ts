/** Language servers, loaded where they are asked about: a module of its own, because every start imports the rest of their entry point. */
export { openProblems, projectServers, serversOf } from "@tau/integrations/lsp";
