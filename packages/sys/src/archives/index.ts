/** Archives: tar, tar.gz and zip. */
export type { ArchiveEntry, ArchiveProblem, ArchiveRefusal } from "./entry.ts";
export { archiveKind, type ArchiveKind } from "./kind.ts";
export { listArchive, readArchiveEntry, writeArchiveEntry } from "./lazy.ts";
