/** Parses `archive.ext:inner/path`. */
import type { ToolEnv } from "../tool/env.ts";

export type ArchiveTarget =
	{ ok: true; archive: string; absolute: string; entry: string } | { ok: false; reason: string };

/** Selects the longest name that is an archive on disk, otherwise the longest that could become one. */
export async function archiveTarget(
	path: string,
	env: Pick<ToolEnv, "machine" | "resolve">,
): Promise<ArchiveTarget | undefined> {
	const candidates = [...path.matchAll(/\.(?:zip|tar|tar\.gz|tgz):/gi)]
		.map(({ 0: suffix, index }) => index + suffix.length - 1)
		.map((colon) => ({ archive: path.slice(0, colon), inner: path.slice(colon + 1) }))
		.toReversed();
	let [chosen] = candidates;
	for (const candidate of candidates) {
		const facts = await env.machine.files.stat(env.resolve(candidate.archive)).catch(() => undefined);
		if (facts?.kind !== "file") continue;
		chosen = candidate;
		break;
	}
	return chosen && entryOf(chosen.archive, chosen.inner, env);
}

function entryOf(archive: string, inner: string, env: Pick<ToolEnv, "resolve">): ArchiveTarget {
	if (inner.trim() === "") {
		return { ok: false, reason: `${archive}: name a file inside the archive: ${archive}:inner/path` };
	}
	const parts = inner.replaceAll("\\", "/").split("/");
	if (parts.includes("..")) return { ok: false, reason: "A path in an archive cannot contain '..'." };
	if (parts.at(-1) === "")
		return { ok: false, reason: `${inner} is a directory in the archive, not a file.` };
	const entry = parts.filter((part) => part !== "" && part !== ".").join("/");
	if (entry === "") return { ok: false, reason: "Name a file inside the archive." };
	return { ok: true, archive, absolute: env.resolve(archive), entry };
}
