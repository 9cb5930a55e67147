/**
 * The versions with which a tree and the project both began, for files that both change. Git has those of files without
 * uncommitted changes; others are copied. Recorded beside the first work of the agent: a file that was changed
 * by then is left out, and is a conflict if the agent changes it too.
 */
import { constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { isRecord, log } from "@tau/utils";

import { findRepository, runGit, type GitOutcome } from "@tau/sys";
import { filesBelow } from "./changes.ts";
import { absentEntry, readTreeEntry, statEntry } from "./entry.ts";
import { TreeRules } from "./ignored.ts";
import { limits } from "./limits.ts";
import type { TreeDirectory } from "./record.ts";
import type { TreeEntry } from "./types.ts";

interface Recorded {
	/** All files that are not among `apart` were as in this commit. */
	readonly commit?: string;
	/** Files that were not as in the commit. */
	readonly apart: readonly string[];
	/** Those of them that were copied. */
	readonly copied: readonly string[];
	/** Those of them that were not there. */
	readonly absent: readonly string[];
}

export class BaseVersions implements AsyncDisposable {
	readonly #directory: TreeDirectory;
	readonly #stop = new AbortController();
	readonly #recorded: Promise<Recorded | undefined>;

	private constructor(
		directory: TreeDirectory,
		recorded: (signal: AbortSignal) => Promise<Recorded | undefined>,
	) {
		this.#directory = directory;
		this.#recorded = recorded(this.#stop.signal).catch((error: unknown) => {
			log.debug("the versions that a tree began with are not known", { reason: String(error) });
			return undefined;
		});
	}

	/** Starts to record, and does not wait for it. */
	static record(directory: TreeDirectory, isTrusted: boolean): BaseVersions {
		return new BaseVersions(directory, async (signal) => {
			const recorded = await record(directory, isTrusted, signal);
			writeFileSync(join(directory.path, recordedName), JSON.stringify(recorded), { mode: 0o600 });
			return recorded;
		});
	}

	/** What was recorded when the tree was made. */
	static open(directory: TreeDirectory): BaseVersions {
		return new BaseVersions(directory, async () => readRecorded(directory.path));
	}

	/** Undefined if the version is not known. */
	async of(path: string, signal: AbortSignal): Promise<TreeEntry | undefined> {
		const recorded = await this.#recorded;
		if (!recorded) return undefined;
		const { commit, apart, copied, absent } = recorded;
		if (copied.includes(path)) return readTreeEntry(join(this.#directory.path, copiesName, path));
		if (absent.includes(path)) return absentEntry;
		if (commit === undefined || apart.includes(path)) return undefined;
		const { root } = this.#directory.record;
		// Only a project that was trusted has a commit here.
		const git = gitIn(root, signal);
		const listed = await git("ls-tree", "-z", commit, "--", path);
		const [, mode = ""] = /^(100644|100755) blob /.exec(listed.ok ? listed.output : "") ?? [];
		if (mode === "") return undefined;
		const blob = await git("cat-file", "--filters", `${commit}:${path}`);
		if (!blob.ok) return undefined;
		return {
			kind: "file",
			bytes: Buffer.from(blob.output, "latin1"),
			mode: modeLike(join(root, path), mode),
		};
	}

	/** Waits until everything is recorded: for a tree that is kept. */
	async finished(): Promise<void> {
		await this.#recorded;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stop.abort();
		await this.#recorded;
	}
}

const recordedName = "base.json";
const copiesName = "base";

type Git = (...args: [command: string, ...rest: string[]]) => Promise<GitOutcome>;

function gitIn(cwd: string, signal: AbortSignal): Git {
	return (...args) =>
		runGit({
			where: { kind: "project", isTrusted: true },
			args,
			cwd,
			env: process.env,
			timeoutMs: limits.baseMs,
			maxBytes: limits.gitBytes,
			isBytes: true,
			signal,
		});
}

async function record(
	{ path, record: { root, startedMs } }: TreeDirectory,
	isTrusted: boolean,
	signal: AbortSignal,
): Promise<Recorded> {
	const state = isTrusted ? await gitState(root, startedMs, signal) : undefined;
	const [copied, absent]: [string[], string[]] = [[], []];
	let bytes = 0;
	for await (const file of state?.apart ?? filesBelow(root, await TreeRules.open(root))) {
		signal.throwIfAborted();
		if (copied.length >= limits.baseFiles) break;
		const [from, to] = [join(root, file), join(path, copiesName, file)];
		const stats = statEntry(from);
		if (!stats) absent.push(file);
		if (!stats?.isFile() || stats.size > limits.baseFileBytes || !isSince(from, startedMs)) continue;
		bytes += Number(stats.size);
		if (bytes > limits.baseBytes) break;
		await mkdir(dirname(to), { recursive: true, mode: 0o700 });
		await copyFile(from, to, constants.COPYFILE_FICLONE);
		// It may have been changed while it was copied.
		if (isSince(from, startedMs)) copied.push(file);
	}
	return { ...(state ? { commit: state.commit } : {}), apart: state?.apart ?? [], copied, absent };
}

/** Undefined if there is no commit, or if it may not be the one that the tree began with. */
async function gitState(
	root: string,
	startedMs: number,
	signal: AbortSignal,
): Promise<{ commit: string; apart: string[] } | undefined> {
	const repository = await findRepository(root);
	if (repository?.root !== root) return undefined;
	const status = await gitIn(root, signal)(
		"status",
		"--porcelain=v2",
		"--branch",
		"-z",
		"--untracked-files=all",
		"--no-renames",
	);
	const index = join(repository.gitDir, "index");
	// Every commit, checkout and reset writes the index.
	if (!status.ok || !existsSync(index) || !isSince(index, startedMs)) return undefined;
	let commit: string | undefined;
	const apart: string[] = [];
	for (const line of Buffer.from(status.output, "latin1").toString("utf8").split("\0")) {
		const [, oid] = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line) ?? [];
		commit ??= oid;
		const [, changed] = /^(?:1(?: \S+){7}|u(?: \S+){9}|\?) ([^]+)$/.exec(line) ?? [];
		if (changed !== undefined) apart.push(changed);
	}
	return commit === undefined ? undefined : { commit, apart };
}

/** Whether the file is as it was then. */
function isSince(path: string, timeMs: number): boolean {
	const stats = statEntry(path);
	return stats !== undefined && Number(stats.ctimeNs / 1000n) / 1000 <= timeMs;
}

/** Git knows only whether a file can be executed; the rest is as the user's files are. */
function modeLike(path: string, gitMode: string): number {
	const now = Number(statEntry(path)?.mode ?? 0n) & 0o777;
	const isExecutable = gitMode === "100755";
	if (now !== 0 && ((now & 0o100) !== 0) === isExecutable) return now;
	return isExecutable ? 0o755 : 0o644;
}

function readRecorded(path: string): Recorded | undefined {
	const file = join(path, recordedName);
	if (!existsSync(file)) return undefined;
	const bytes = readFileSync(file);
	const value: unknown = bytes.length > limits.manifestBytes ? undefined : JSON.parse(bytes.toString("utf8"));
	return isRecord(value) ? (value as unknown as Recorded) : undefined;
}
