/** The repository and the commit of a new task, as its workers can reach them. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { findRepository } from "@tau/sys";
import { UsageError } from "@tau/utils";

import { git, gitInTree, readRefs, type GitContext } from "../git/git.ts";
import { limits } from "../limits.ts";
import { isCommit, type TaskSpec } from "../task.ts";
import type { FleetContext } from "./context.ts";

export interface Source extends Pick<TaskSpec, "repo" | "ref" | "commit"> {
	readonly bundle?: Uint8Array | undefined;
}

/** A repository of this machine is used where its workers are; others get its remote, and a bundle of what that lacks. */
export async function findSource(context: FleetContext): Promise<Source> {
	const { cwd, env, signal } = context;
	const named = context.flag("repo");
	const ref = context.flag("ref") ?? "HEAD";
	const path = resolve(cwd, named ?? ".");
	if (named !== undefined && !existsSync(path)) return await remoteSource(named, ref, { cwd, env, signal });
	const repository = await findRepository(path);
	if (!repository) throw new UsageError(`${path} is not in a git repository. Use --repo <path or address>.`);
	const inside: GitContext = { cwd: repository.root, env, signal };
	const commit = await commitOf(inside, ref);
	if (context.isLocal) return { repo: repository.root, ref, commit };
	const origin = (await gitInTree(inside, ["config", "remote.origin.url"]).catch(() => "")).trim();
	if (origin === "" || existsSync(resolve(repository.root, origin)))
		return { repo: "", ref, commit, bundle: await bundleOf(inside, [commit]) };
	const isPushed = (await gitInTree(inside, ["branch", "--remotes", "--contains", commit])).trim() !== "";
	return {
		repo: origin,
		ref,
		commit,
		bundle: isPushed ? undefined : await bundleOf(inside, [commit, "--not", "--remotes=origin"]),
	};
}

async function commitOf(inside: GitContext, ref: string): Promise<string> {
	const found = ref.startsWith("-")
		? ""
		: await gitInTree(inside, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]).catch(() => "");
	if (isCommit(found.trim())) return found.trim();
	throw new UsageError(`--ref ${ref}: there is no such commit in ${inside.cwd}.`);
}

async function remoteSource(repo: string, ref: string, context: GitContext): Promise<Source> {
	if (repo.startsWith("-") || /\p{Cc}/u.test(repo))
		throw new UsageError(`--repo ${repo}: not an address of git's.`);
	if (isCommit(ref)) return { repo, ref, commit: ref };
	// A tag that is an object of its own names its commit with these letters.
	const listed = await git(context, ["ls-remote", "--", repo, ref, `${ref}^{}`]).catch((error: Error) => {
		throw new UsageError(`--repo ${repo}: ${error.message}`);
	});
	const refs = new Map(readRefs(listed));
	// In git's own order. The pattern of `ls-remote` also lists branches that only end with the name.
	const names = [ref, `refs/${ref}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
	const commit = names.flatMap((name) => refs.get(`${name}^{}`) ?? refs.get(name) ?? [])[0];
	if (commit === undefined) throw new UsageError(`--ref ${ref}: ${repo} has no such branch or tag.`);
	return { repo, ref, commit };
}

/** A bundle needs a name for each of its ends. */
async function bundleOf(
	inside: GitContext,
	[commit, ...rest]: readonly [string, ...string[]],
): Promise<Uint8Array> {
	const name = `refs/tau/bundle/${commit}`;
	await gitInTree(inside, ["update-ref", name, commit]);
	try {
		const extras = { isBytes: true, maxBytes: limits.patchBytes };
		return Buffer.from(
			await gitInTree(inside, ["bundle", "create", "--quiet", "-", name, ...rest], extras),
			"latin1",
		);
	} finally {
		await gitInTree(inside, ["update-ref", "-d", name]);
	}
}
