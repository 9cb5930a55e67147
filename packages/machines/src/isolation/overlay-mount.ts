/** Mounts an overlay over the project, in a namespace that one process holds. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

import { abortable, withTimeout } from "@tau/utils";

import {
	findOwn,
	standardPath,
	type ShellLauncher,
	endScope,
	newScope,
	ownShell,
	shellEnded,
	withMark,
	ownRoom,
} from "@tau/sys";
import { limits } from "./limits.ts";
import { hostPath, type MountedTree } from "./mounted-files.ts";
import type { EnterTree } from "./types.ts";

export interface OverlayPaths {
	/** The project: the lower layer, and where the overlay is mounted. */
	readonly root: string;
	readonly upper: string;
	readonly work: string;
}

/** The administrator needs no user namespace, and sees the owners of files as they are. */
type Namespaces = "mount" | "user";

/** It ends with the pipe to this process. */
const script = 'mount -t overlay tau -o "$0" "$1" && echo ready && exec cat';
const upperOptions = { mount: "redirect_dir=off,metacopy=off,index=off", user: "userxattr" };

export class OverlayMount implements AsyncDisposable {
	readonly tree: MountedTree;
	readonly enter: EnterTree;
	readonly #child: ChildProcess;
	readonly #scope: string;
	readonly #file: number;

	private constructor(child: ChildProcess, scope: string, root: string, kind: Namespaces, nsenter: string) {
		this.#child = child;
		this.#scope = scope;
		// Through an open directory the overlay stays what it is, even if its process is gone and its number reused.
		this.#file = openSync(`/proc/${child.pid}/root${root}`, "r");
		const shared = `/proc/${child.pid}/root${root}`;
		const tree = { root, opened: `/proc/${process.pid}/fd/${this.#file}`, shared };
		this.tree = tree;
		this.enter = enterTree(kind, nsenter, child.pid ?? 0, tree);
	}

	/** Rejects with the reason if this machine allows none. */
	static async open(paths: OverlayPaths, signal: AbortSignal): Promise<OverlayMount> {
		const refused = refusal(paths);
		if (refused !== undefined) throw new Error(refused);
		if (process.getuid?.() !== 0) return await OverlayMount.#start(paths, "user", signal);
		try {
			return await OverlayMount.#start(paths, "mount", signal);
		} catch (error) {
			signal.throwIfAborted();
			// In most containers the administrator may not mount, except in a user namespace.
			const other = await OverlayMount.#start(paths, "user", signal).catch(() => undefined);
			if (!other) throw error;
			return other;
		}
	}

	static async #start(
		{ root, upper, work }: OverlayPaths,
		kind: Namespaces,
		signal: AbortSignal,
	): Promise<OverlayMount> {
		const unshare = findOwn("unshare");
		const nsenter = findOwn("nsenter");
		if (!unshare || !nsenter || !findOwn("mount"))
			throw new Error("unshare, nsenter or mount is missing (util-linux)");
		const options = `lowerdir=${root},upperdir=${upper},workdir=${work},${upperOptions[kind]}`;
		const user = kind === "user" ? ["--user", "--map-root-user"] : [];
		const args = [
			...user,
			"--mount",
			"--propagation",
			"private",
			"--",
			"/bin/sh",
			"-c",
			script,
			options,
			root,
		];
		const scope = newScope();
		const child = spawn(unshare, args, {
			cwd: "/",
			env: withMark({ PATH: standardPath }, scope),
			stdio: ["pipe", "pipe", "pipe"],
			detached: true,
		});
		try {
			await ready(child, signal);
			const owned = ownShell(child.pid ?? 0, scope);
			child.on("exit", () => shellEnded(owned));
			child.unref();
			return new OverlayMount(child, scope, root, kind, nsenter);
		} catch (error) {
			child.kill("SIGKILL");
			throw error;
		}
	}

	/** Ends what still runs inside; the changes are in the upper layer. */
	async [Symbol.asyncDispose](): Promise<void> {
		closeSync(this.#file);
		this.#child.kill("SIGKILL");
		await endScope(this.#scope);
	}
}

function enterTree(kind: Namespaces, nsenter: string, pid: number, tree: MountedTree): EnterTree {
	const target = [nsenter, "--target", `${pid}`, "--mount"];
	const namespaces = kind === "mount" ? [...target, "--"] : [...target, ...userArgs];
	const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
	// The user who mounts is the administrator of the namespace; programs inside run as the user that they know.
	const user = [findOwn("unshare") ?? "unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
	const prefix = uid === 0 ? namespaces : [...namespaces, ...user];
	const inside = (path: string): string => hostPath(tree, path);
	const launcher: ShellLauncher = {
		room: ownRoom,
		launch: async (command, { cwd }) => ({
			command: [...prefix, "/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd, ...command],
			file: "ignore",
			[Symbol.dispose]() {},
		}),
		environment: (env) => env,
		commandEnded() {},
		hostPath: inside,
	};
	return { namespaces, launcher, hostPath: inside };
}

const userArgs = ["--user", "--preserve-credentials", "--"];

function refusal({ root, upper }: OverlayPaths): string | undefined {
	if (process.platform !== "linux") return `${process.platform} has no overlays`;
	if (`${upper}/`.startsWith(`${root}/`)) return "the directory for trees is inside of the project";
	if ([root, upper].some((path) => /[,:\\"\n]/.test(path)))
		return "a path has characters that mount does not take";
	const below = readFileSync("/proc/self/mountinfo", "utf8")
		.split("\n")
		.map((line) => unescaped(line.split(" ")[4] ?? ""))
		.find((path) => path.startsWith(`${root}/`));
	return below === undefined ? undefined : `another file system is mounted in the project, at ${below}`;
}

function unescaped(path: string): string {
	return path.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/** Rejects with what the programs said. */
async function ready(child: ChildProcess, signal: AbortSignal): Promise<void> {
	const started = Promise.withResolvers<void>();
	let complaint = "";
	child.stdout?.once("data", () => started.resolve());
	child.stderr?.on("data", (chunk: Buffer) => {
		if (complaint.length < limits.complaintBytes) complaint += chunk.toString("utf8");
	});
	for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
	child.once("error", (error) => started.reject(error));
	child.once("close", () =>
		started.reject(new Error(complaint.trim().split("\n")[0] || "the overlay could not be mounted")),
	);
	using deadline = withTimeout(signal, limits.startMs, "The overlay was not mounted in time.");
	await abortable(started.promise, deadline.signal);
	for (const stream of [child.stdin, child.stdout, child.stderr])
		if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
}
