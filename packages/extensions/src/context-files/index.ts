/** The files of a person and of a project that instruct the model. */
export { contextFileCandidates, projectRoot } from "./find.ts";
export { loadContextFiles, type ContextFile } from "./load.ts";
