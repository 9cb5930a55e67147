/** Git: reading a repository without starting it, and the one function that starts it. */
export { convertsContents, isConverting } from "./conversion.ts";
export { inheritedGitEnvironment } from "./environment.ts";
export { HeadTree } from "./head-tree.ts";
export { GitIndex } from "./index-file.ts";
export { GitObjects } from "./object-store.ts";
export { programsIn } from "./project-programs.ts";
export { findRepository, gitDirectoryAt, readHead, type GitHead, type GitRepository } from "./repository.ts";
export { runGit, type GitFailure, type GitOutcome, type GitPlace, type GitRequest } from "./run-git.ts";
export { gitSettingsIn, type GitSetting } from "./settings-text.ts";
