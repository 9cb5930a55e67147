/** The bounds of archives that their readers have to know. */
import { limits } from "../limits.ts";

export const archiveLimits = { bytes: limits.archiveBytes } as const;
