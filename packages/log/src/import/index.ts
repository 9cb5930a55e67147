/** The entry point of imports. */
export { detect, programNames, programs, type Program } from "./detect.ts";
export { findSources, sourceDirectory } from "./find-sources.ts";
export { importFile, type ImportOutcome } from "./import-file.ts";
