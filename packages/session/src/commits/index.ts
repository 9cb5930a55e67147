/** The entry point `@tau/session/commits`. */
export { readChanges, shown, type CommitChanges } from "./changes.ts";
export { makeCommits, type MadeCommit, type PlannedCommit } from "./make-commits.ts";
export { proposeCommits, type Proposal } from "./propose.ts";
export { staleIndex, type StaleIndex } from "./stale-index.ts";
export { CommitRepository } from "./repository.ts";
export { changeByGit, changeToReview, type ReviewedChange } from "./review-change.ts";
