/** Writes the documents of a memory beside its database: `MEMORY.md`, `memory_summary.md` and the skills. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { log, shortId } from "@tau/utils";

export interface Document {
	/** Below the memory's directory: `skills/release/SKILL.md`. */
	path: string;
	text: string;
}

/** Skills that no longer exist are pruned. A failure is logged: the database has everything. */
export function writeArtifacts(directory: string, documents: readonly Document[]): void {
	try {
		for (const { path, text } of documents) replaceFile(join(directory, path), text);
		prune(join(directory, "skills"), new Set(documents.map(({ path }) => path.split("/")[1] ?? "")));
	} catch (error) {
		log.warn("the documents of a memory were not written", { directory, reason: String(error) });
	}
}

export function removeArtifacts(directory: string): void {
	for (const name of ["MEMORY.md", "memory_summary.md", "skills"])
		rmSync(join(directory, name), { recursive: true, force: true });
}

function replaceFile(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const aside = `${path}.${shortId()}.tmp`;
	try {
		writeFileSync(aside, text, { mode: 0o600 });
		renameSync(aside, path);
	} catch (error) {
		rmSync(aside, { force: true });
		throw error;
	}
}

/** Only what has the form of a skill that Tau wrote: a directory with nothing but its SKILL.md. */
function prune(skills: string, kept: ReadonlySet<string>): void {
	if (!existsSync(skills)) return;
	for (const entry of readdirSync(skills, { withFileTypes: true })) {
		if (!entry.isDirectory() || kept.has(entry.name)) continue;
		const own = join(skills, entry.name);
		if (readdirSync(own).every((name) => name === "SKILL.md")) rmSync(own, { recursive: true, force: true });
	}
}
