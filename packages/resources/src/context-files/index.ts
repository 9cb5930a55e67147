/** The context files of a user and of a project, which instruct the model. */
export { contextFileCandidates, projectRoot } from "./find.ts";
export { loadContextFiles, type ContextFile } from "./load.ts";
export { limits as contextFileLimits } from "./limits.ts";
