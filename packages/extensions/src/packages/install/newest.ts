/** Looks up the newest version of a source without fetching it. */
import type { PackageSource } from "../source.ts";
import { newestCommit } from "./git.ts";
import { findRelease, type RegistryAccess } from "./registry.ts";

/** Compares with `resolved` of an entry. */
export async function newestOf(
	source: Exclude<PackageSource, { kind: "path" }>,
	access: RegistryAccess,
): Promise<string> {
	if (source.kind === "git") return newestCommit(source, access);
	return (await findRelease(source.name, source.range, access)).tarball;
}
