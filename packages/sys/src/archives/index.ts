/** Archives: tar, tar.gz and zip. */
export type { ArchiveEntry, ArchiveProblem, ArchiveRefusal, ArchiveSource } from "./entry.ts";
export { archiveLimits } from "./limits.ts";
export { archiveKind, type ArchiveKind } from "./kind.ts";
