/** The entry point `@tau/session/artifacts`. */
export { ArtifactDirectory } from "./artifact-directory.ts";
export type { Artifact, ArtifactStore } from "./artifacts.ts";
export { TemporaryDirectory } from "./temporary-directory.ts";
