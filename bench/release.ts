/** The program of the last release, built from git, to be measured beside this one in the same run. */
import {
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	renameSync,
	rmSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { runGit } from "@tau/sys";

import { tau } from "./home.ts";
import release from "./release.json" with { type: "json" };

const root = join(import.meta.dir, "..");
const cache = join(root, "node_modules/.cache/releases");
const buildMs = 600_000;

/** A Tau to measure. */
export interface Build {
	readonly name: string;
	/** The path of its `./tau`. */
	readonly tau: string;
}

export const thisBuild: Build = { name: "this", tau };

/** `ref`: another commit or branch to compare with. Undefined, with the reason on stderr, if it cannot be built here. */
export async function releasedBuild(ref?: string): Promise<Build | undefined> {
	const name = ref ?? release.version;
	try {
		return { name, tau: await built(await commitOf(ref ?? release.commit)) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		process.stderr.write(`bench: ${name} is not measured: ${reason}\n`);
		return undefined;
	}
}

/**
 * Lets Linux forget the pages of the executables, so that they are read from disk, as after a boot. Of a file that was just
 * written it maps larger parts: `tau -p` has 53 MB after its build and 45 MB from then on, and the release was built long ago.
 */
export function readAnew(builds: readonly Build[]): void {
	if (process.platform !== "linux") return;
	for (const { tau: script } of builds) {
		// One that is stale is built now, and not by the first start that is measured, which would map what it has just written.
		const build = Bun.spawnSync([script, "--version"], { env: { ...process.env, TAU_FROM_SOURCE: "" } });
		if (!build.success) throw new Error(build.stderr.toString().trim());
		const path = join(dirname(script), "node_modules/.cache/tau/tau");
		const file = openSync(path, "r");
		// Pages that are not on the disk yet cannot be forgotten.
		fsyncSync(file);
		closeSync(file);
		const { success, stderr } = Bun.spawnSync(["dd", `if=${path}`, "iflag=nocache", "count=0"]);
		if (!success) throw new Error(stderr.toString().trim());
	}
}

async function commitOf(ref: string): Promise<string> {
	return (await git("rev-parse", "--verify", `${ref}^{commit}`)).trim();
}

/** Installs what that version needs, and compiles it: about a minute, once. */
async function built(commit: string): Promise<string> {
	const directory = join(cache, commit.slice(0, 12));
	const program = join(directory, "tau");
	if (!existsSync(program)) await unpack(commit, directory);
	await using child = Bun.spawn([program, "--version"], {
		env: { ...process.env, TAU_FROM_SOURCE: "" },
		stdin: "ignore",
		stdout: "ignore",
		stderr: "pipe",
		timeout: buildMs,
	});
	const [code, errors] = await Promise.all([child.exited, child.stderr.text()]);
	if (code !== 0) throw new Error(errors.trim().split("\n").at(-1) ?? `./tau ended with ${code}`);
	return program;
}

async function unpack(commit: string, directory: string): Promise<void> {
	process.stderr.write(`bench: building ${commit.slice(0, 7)} (once) …\n`);
	mkdirSync(cache, { recursive: true });
	const draft = mkdtempSync(join(cache, "draft-"));
	const [archive, sources] = [join(draft, "sources.tar"), join(draft, "sources")];
	mkdirSync(sources);
	try {
		await git("archive", `--output=${archive}`, commit);
		const { success, stderr } = Bun.spawnSync(["tar", "-xf", archive, "-C", sources]);
		if (!success) throw new Error(stderr.toString().trim());
		renameSync(sources, directory);
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
}

async function git(command: string, ...args: string[]): Promise<string> {
	const outcome = await runGit({
		where: { kind: "project", isTrusted: true },
		args: [command, ...args],
		cwd: root,
		env: process.env,
		timeoutMs: 60_000,
		maxBytes: 1_000_000,
	});
	if (!outcome.ok) throw new Error(outcome.message);
	return outcome.output;
}
