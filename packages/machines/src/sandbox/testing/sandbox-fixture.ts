/** A project with a sandboxed shell, and a home directory with secrets beside it. */
import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { ShellSession, type SessionCommand, type SessionOutcome } from "@tau/sys";
import type { CommandSandbox } from "../command-sandbox.ts";
import { landlockVersion, leastVersion } from "../landlock/kernel.ts";
import { gitUser } from "../git-user.ts";
import { LandlockSandbox } from "../landlock/landlock.ts";
import { projectProfile, type ProfileOptions } from "../profile.ts";
import { Sandbox } from "../sandbox.ts";
import { sandboxSupport } from "../support.ts";

const { kind } = await sandboxSupport(process.env, join(tmpdir(), "tau-test-cache"));

/** What tests of a real sandbox need; a machine without user namespaces cannot run them. */
export const neededPrograms = kind === "bubblewrap" ? ["bwrap"] : ["bwrap with user namespaces"];

/** The same for Landlock. */
export const neededForLandlock = landlockVersion() >= leastVersion ? [] : ["Linux 6.2 with Landlock"];

export interface SandboxFixture extends AsyncDisposable {
	/** Holds everything else; nothing outside of it is touched. */
	readonly root: string;
	readonly cwd: string;
	readonly home: string;
	readonly env: Record<string, string>;
	readonly sandbox: CommandSandbox;
	readonly session: ShellSession;
	run(command: string, more?: Partial<SessionCommand>): Promise<{ text: string; outcome: SessionOutcome }>;
}

export interface FixtureOptions extends Partial<Omit<ProfileOptions, "searchPath" | "settings" | "gitUser">> {
	/** Settings that variables name. */
	named?(cwd: string): string[];
	/** Variables that git of the user reads. */
	variables?(cwd: string): Record<string, string>;
	/** The directories of PATH. */
	searchPath?(cwd: string): string[];
	/** Files by their paths below the root. */
	files?: Readonly<Record<string, string>>;
	/** Landlock, also where there is bubblewrap. */
	landlock?: boolean;
	/** The project is the home directory. */
	isHome?: boolean;
	/** The directory that everything is made in. */
	below?: string;
	/**
	 * It is made in memory, where there is some: on a disk ext4 looks for each free inode among all that were deleted lately,
	 * which takes seconds of CPU time for thousands of directories. Landlock shows commands nothing but the project there.
	 */
	inMemory?: boolean;
	/** Called before the profile is made, with the directory of the project. */
	prepare?(cwd: string): void | Promise<void>;
}

export async function sandboxFixture(options: FixtureOptions = {}): Promise<SandboxFixture> {
	const {
		files = {},
		prepare,
		landlock,
		isHome,
		searchPath,
		named,
		variables,
		inMemory = false,
		...rest
	} = options;
	const { below = parent(inMemory), ...profileOptions } = rest;
	const root = realpathSync(mkdtempSync(join(below, ".tau-sandboxed-")));
	const cwd = join(root, "project");
	const home = isHome ? cwd : join(root, "home");
	for (const path of new Set([cwd, home])) mkdirSync(path);
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), content);
	}
	await prepare?.(cwd);
	const support = await sandboxSupport(process.env, join(tmpdir(), "tau-test-cache"));
	const profile = await projectProfile({
		cwd,
		home,
		...profileOptions,
		searchPath: searchPath?.(cwd) ?? [],
		settings: named?.(cwd) ?? [],
		gitUser: gitUser(home, variables?.(cwd)),
	});
	const sandbox = landlock ? new LandlockSandbox(profile) : new Sandbox(profile, support);
	const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_TEMPLATE_DIR: writeGitTemplate(root) };
	const session = new ShellSession({ cwd, env, launcher: () => sandbox });
	return {
		root,
		cwd,
		home,
		env,
		sandbox,
		session,
		async run(command, more = {}) {
			const decoder = new TextDecoder();
			let text = "";
			const outcome = await session.run({
				command,
				timeoutMs: 20_000,
				signal: new AbortController().signal,
				...more,
				onOutput: (chunk) => {
					text += decoder.decode(chunk, { stream: true });
					more.onOutput?.(chunk);
				},
			});
			return { text: text + decoder.decode(), outcome };
		},
		async [Symbol.asyncDispose]() {
			await session[Symbol.asyncDispose]();
			await sandbox[Symbol.asyncDispose]();
			remove(root);
		},
	};
}

/**
 * What `git init` copies, with one sample of a hook instead of 14: where many files are made and deleted, each new one takes
 * half a millisecond on ext4.
 */
export function writeGitTemplate(root: string): string {
	const template = join(root, "template");
	for (const [path, text] of [
		["hooks/pre-commit.sample", "#!/bin/sh\n"],
		["info/exclude", "# *.o\n"],
		["description", "Unnamed\n"],
	] as const) {
		mkdirSync(dirname(join(template, path)), { recursive: true });
		writeFileSync(join(template, path), text);
	}
	return template;
}

function remove(root: string): void {
	try {
		rmSync(root, { recursive: true, force: true });
	} catch {
		// Attempts to copy what is hidden leave directories that an ordinary user cannot list.
		Bun.spawnSync(["chmod", "-R", "u+rwX", root]);
		rmSync(root, { recursive: true, force: true });
	}
}

/** A file system of Linux that is in memory, and no directory for temporary files. */
export const memory = "/dev/shm";
const tmpfs = 0x01_02_19_94;
export const hasMemory = existsSync(memory) && statfsSync(memory).type === tmpfs;

/** Not a directory for temporary files: the sandbox has its own ones, so that nothing there would be visible. */
function parent(inMemory: boolean): string {
	if (inMemory && hasMemory && isWritable(memory)) return memory;
	const isTemporary = (path: string): boolean =>
		`${path}/`.startsWith("/tmp/") || path.startsWith("/var/tmp");
	return [homedir(), "/opt"].find((path) => !isTemporary(path) && isWritable(path)) ?? tmpdir();
}

function isWritable(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}
