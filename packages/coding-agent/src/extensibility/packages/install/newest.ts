/** Says what a source gives today, without fetching it. */
import { tmpdir } from "node:os";

import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import type { PackageSource } from "../source.ts";
import { findRelease } from "./registry.ts";
import { gitEnv, safely } from "./git.ts";
import { runProcess } from "./run-process.ts";

/** Compares with `resolved` of an entry. */
export async function newestOf(
	source: Exclude<PackageSource, { kind: "path" }>,
	{ env, signal }: { env: Env; signal?: AbortSignal | undefined },
): Promise<string> {
	if (source.kind === "npm") return (await findRelease(source.name, source.range, { env, signal })).tarball;
	const out = await runProcess({
		name: "git",
		command: ["git", ...safely, "ls-remote", "--quiet", "--", source.url, "HEAD"],
		cwd: tmpdir(),
		env,
		more: gitEnv,
		ms: limits.gitMs,
		signal,
	});
	return out.split(/\s/)[0] ?? "";
}
