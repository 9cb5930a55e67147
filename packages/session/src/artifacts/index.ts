/** The entry point `@tau/session/artifacts`. */
export { AgentOutputs, isAgentId } from "./agent-outputs.ts";
export { ArtifactDirectory, sharedArtifacts } from "./artifact-directory.ts";
export type { Artifact, ArtifactExtension, ArtifactStore } from "./artifacts.ts";
export { TemporaryDirectory, temporaryFile } from "./temporary-directory.ts";
