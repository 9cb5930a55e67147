/** Finds what git's index still has of changes that a restore has taken back from the files. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { findRepository, GitIndex, HeadTree, type GitRepository } from "@tau/sys";
import { log } from "@tau/utils";

import { shown } from "./changes.ts";
import { CommitRepository, type RepositoryParts } from "./repository.ts";

export interface StaleIndex {
	/** The paths for a user, and how many of them are staged as deleted. */
	readonly paths: readonly string[];
	readonly deletions: number;
	/** The command that unstages them. */
	readonly command: string;
	/** Throws a `UserError` with what git says. */
	unstage(): Promise<void>;
}

/** Names in a command that a user can type. */
const namedPaths = 3;

/**
 * Of the restored files (absolute paths, as strings of bytes) those that are staged as something else than they are now.
 * Undefined if there are none. Git itself compares only in a trusted project; elsewhere the deletions are found, which a
 * commit would make unseen.
 */
export async function staleIndex(
	parts: RepositoryParts,
	restored: readonly string[],
): Promise<StaleIndex | undefined> {
	const found = restored.length > 0 ? await findRepository(parts.cwd) : undefined;
	if (!found) return undefined;
	const root = Buffer.from(found.root).toString("latin1");
	const stale = await (parts.isTrusted
		? comparedByGit(parts, root, restored)
		: deletions(found, root, restored));
	if (!stale || stale.paths.length === 0) return undefined;
	const paths = stale.paths.map(shown);
	const rest = paths.length > namedPaths ? " …" : "";
	const names = stale.isAll ? "." : paths.slice(0, namedPaths).join(" ") + rest;
	return {
		paths,
		deletions: stale.deletions,
		command: `git restore --staged ${names}`,
		// The user who asks for it lets git run, also in a project without trust.
		unstage: () => unstage(new CommitRepository({ ...parts, isTrusted: true }), stale.paths),
	};
}

/** Paths are relative to the repository. */
interface Stale {
	readonly paths: readonly string[];
	readonly deletions: number;
	/** Whether nothing else is staged, as far as that is known. */
	readonly isAll: boolean;
}

async function comparedByGit(
	parts: RepositoryParts,
	root: string,
	restored: readonly string[],
): Promise<Stale | undefined> {
	const repository = new CommitRepository(parts);
	const list = async (...options: string[]): Promise<string[] | undefined> => {
		const outcome = await repository.attempt(["diff", "--no-renames", "-z", ...options], { isBytes: true });
		if (outcome.ok) return outcome.output.split("\0").filter(Boolean);
		log.warn("git's index was not compared with the restored files", { reason: outcome.message });
		return undefined;
	};
	const fields = await list("--cached", "--name-status");
	if (!fields || fields.length === 0) return undefined;
	const changed = new Set(await list("--name-only"));
	const wanted = new Set(restored);
	const staged = pairs(fields);
	const stale = staged.filter(({ state, path }) => {
		const whole = join(root, path);
		if (!wanted.has(whole)) return false;
		return state === "D" ? exists(whole) : changed.has(path);
	});
	return {
		paths: stale.map(({ path }) => path),
		deletions: stale.filter(({ state }) => state === "D").length,
		isAll: stale.length === staged.length,
	};
}

/** Files that the last commit has and the index has not, though they are there. */
async function deletions(
	{ gitDir }: GitRepository,
	root: string,
	restored: readonly string[],
): Promise<Stale | undefined> {
	const index = GitIndex.read(gitDir);
	const missing = restored.filter(
		(path) =>
			path.startsWith(`${root}/`) && index?.find(path.slice(root.length + 1)) === undefined && exists(path),
	);
	// Without an index that can be read, every file would look deleted.
	if (!index || missing.length === 0) return undefined;
	using head = await HeadTree.open(gitDir);
	const paths = missing.map((path) => path.slice(root.length + 1)).filter((path) => head?.has(path));
	return { paths, deletions: paths.length, isAll: false };
}

function exists(path: string): boolean {
	return existsSync(Buffer.from(path, "latin1"));
}

/** The files stay as they are. Before the first commit there is nothing to restore the index from. */
async function unstage(repository: CommitRepository, paths: readonly string[]): Promise<void> {
	const head = await repository.attempt(["rev-parse", "--verify", "-q", "HEAD"]);
	const from = ["--pathspec-from-file=-", "--pathspec-file-nul"];
	const input = Buffer.from(paths.join("\0"), "latin1");
	if (head.ok) await repository.git(["restore", "--staged", ...from], { input });
	else await repository.git(["rm", "--cached", "-q", ...from], { input });
}

function pairs(fields: readonly string[]): { state: string; path: string }[] {
	return Array.from({ length: Math.floor(fields.length / 2) }, (_, at) => ({
		state: fields[2 * at] ?? "",
		path: fields[2 * at + 1] ?? "",
	}));
}
