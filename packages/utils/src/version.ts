/** The version of this build. */
import manifest from "../package.json" with { type: "json" };

/** What a checkout compiles also names its commit: versions in development have the same number for months. */
const commit = process.env.TAU_COMMIT;

export const version: string = commit === undefined ? manifest.version : `${manifest.version}+${commit}`;
