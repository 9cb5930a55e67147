/** Asks git about the working tree, briefly and without locks. */
import { limits } from "../limits.ts";
import { statusPaths } from "./changed-files.ts";

/** Paths that git sees a change of, below the directory; nothing where there is no git. */
export async function gitChanges(cwd: string): Promise<string[]> {
	const output = await git(cwd, ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--", "."]);
	const prefix = (await git(cwd, ["rev-parse", "--show-prefix"]))?.trim() ?? "";
	// Paths are told from the root of the repository.
	return statusPaths(output ?? "").map((path) =>
		path.startsWith(prefix) ? path.slice(prefix.length) : path,
	);
}

/** The difference to the last commit. */
export async function gitDiff(cwd: string, path: string): Promise<string> {
	return (await git(cwd, ["diff", "--no-color", "--no-ext-diff", "HEAD", "--", path])) ?? "";
}

async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
	try {
		const child = Bun.spawn(["git", ...args], {
			cwd,
			env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "ignore",
			timeout: limits.gitMs,
			maxBuffer: limits.gitBytes,
		});
		const text = await child.stdout.text();
		return (await child.exited) === 0 ? text : undefined;
	} catch {
		// There is no git here.
		return undefined;
	}
}
