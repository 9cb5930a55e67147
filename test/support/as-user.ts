/** The compiled Tau as an ordinary user starts it: without rights, with or without bubblewrap, in a home that may be read-only. */
import {
	accessSync,
	chmodSync,
	chownSync,
	constants,
	copyFileSync,
	mkdtempSync,
	readdirSync,
	rmSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch, root, type Launched } from "./launch.ts";
import { needs } from "./needs.ts";

/** A number that no user of a system has by default: it has no name and no home in the password file either. */
const otherUser = 45_679;
const isRoot = process.getuid?.() === 0;

/** The ordinary user: whoever runs the tests, unless that is root. */
export const user = isRoot ? otherUser : (process.getuid?.() ?? 0);

/** Root becomes the user; nobody else has to. */
export const become: readonly string[] = isRoot
	? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"]
	: [];

export interface Variant {
	readonly name: string;
	readonly env: Record<string, string>;
	readonly isLandlock: boolean;
	/** A test that is skipped where the machine has not this sandbox. */
	readonly test: ReturnType<typeof needs>;
}

const tools = isRoot ? ["setpriv"] : [];
const namespaces = canRun(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"])
	? ["bwrap", "nsenter"]
	: ["bwrap with user namespaces"];

/** Ways in which a machine offers a sandbox; `landlock` says whether it has that. */
export function sandboxVariants(landlock: readonly string[]): Variant[] {
	const withLandlock = needs(...tools, ...landlock);
	return [
		{ name: "with bubblewrap", env: {}, isLandlock: false, test: needs(...tools, ...namespaces) },
		{
			name: "without bubblewrap",
			env: { TAU_BWRAP: "/nonexistent/bwrap" },
			isLandlock: true,
			test: withLandlock,
		},
		{
			name: "with a bubblewrap that does not work",
			env: { TAU_BWRAP: "/bin/false" },
			isLandlock: true,
			test: withLandlock,
		},
	];
}

export interface UserOptions {
	env?: Record<string, string>;
	/** The user can read the home directory, and not write to it. */
	hasReadOnlyHome?: boolean;
	/** Another copy of the executable than the shared one. */
	executable?: string;
}

/** As `launch`, for the ordinary user and with the sandbox that the machine has. */
export async function launchAsUser(scenario: Scenario, options: UserOptions = {}): Promise<Launched> {
	const { env = {}, hasReadOnlyHome = false, executable = compiled() } = options;
	const tau = await launch(scenario, "anthropic-messages", {
		parent: openParent(),
		program: [...become, executable],
	});
	giveToUser(dirname(tau.project));
	if (hasReadOnlyHome) setWritable(tau.home, false);
	const fixed = { TAU_CONTAINER: "none", TAU_SANDBOX: "required", ...env };
	return {
		...tau,
		env: { ...tau.env, ...fixed },
		start: (args, more = {}) => tau.start(args, { ...more, env: { ...fixed, ...more.env } }),
		run: (args, more = {}) => tau.run(args, { ...more, env: { ...fixed, ...more.env } }),
		async [Symbol.asyncDispose]() {
			if (hasReadOnlyHome) setWritable(tau.home, true);
			await tau[Symbol.asyncDispose]();
		},
	};
}

let executable: string | undefined;

/** What `./tau` has compiled; a copy of it if the user cannot reach it, or only in a directory that sandboxes replace. */
function compiled(): string {
	if (executable !== undefined) return executable;
	Bun.spawnSync([join(root, "tau"), "--version"], { env: { PATH: process.env.PATH, HOME: tmpdir() } });
	const cached = join(root, "node_modules/.cache/tau/tau");
	const isUsable = !isTemporary(cached) && canRun([cached, "--version"]);
	return (executable = isUsable ? cached : copyCompiled());
}

const copies: string[] = [];

/** For `afterAll` of each file that launches: a hook here would belong to the first of them alone. */
export function removeCopies(): void {
	executable = undefined;
	for (const directory of copies.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** A copy of its own, until `removeCopies`. */
export function copyCompiled(): string {
	const directory = mkdtempSync(join(openParent(), "tau-copy-"));
	copies.push(directory);
	const copy = join(directory, "tau");
	copyFileSync(join(root, "node_modules/.cache/tau/tau"), copy, constants.COPYFILE_FICLONE);
	chmodSync(copy, 0o755);
	giveToUser(directory);
	return copy;
}

/** A directory that the user may enter and that is not for temporary files, which sandboxes have of their own. */
export function openParent(): string {
	const candidates = isRoot ? ["/opt", "/srv", "/var/lib"] : [homedir(), "/opt"];
	return candidates.find((path) => !isTemporary(path) && mayWrite(path)) ?? tmpdir();
}

function isTemporary(path: string): boolean {
	return [tmpdir(), "/tmp", "/var/tmp"].some((above) => `${path}/`.startsWith(`${above}/`));
}

function mayWrite(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

function canRun(command: readonly string[]): boolean {
	try {
		// By a shell: setpriv keeps root's rights until it starts a program, and so enters every directory.
		const asUser = [...become, "sh", "-c", 'exec "$0" "$@"', ...command];
		return Bun.spawnSync(asUser, { stdout: "ignore", stderr: "ignore" }).success;
	} catch {
		// setpriv is missing.
		return false;
	}
}

function giveToUser(path: string): void {
	if (!isRoot) return;
	for (const one of below(path)) chownSync(one, user, user);
}

/** Root keeps such a home for itself: of what is its own, a user could make it writable again. */
function setWritable(home: string, isWritable: boolean): void {
	for (const path of below(home)) {
		if (isRoot) chownSync(path, 0, 0);
		else chmodSync(path, isWritable ? 0o755 : 0o555);
	}
}

function below(path: string): string[] {
	const names = readdirSync(path, { recursive: true, encoding: "utf8" });
	return [path, ...names.map((name) => join(path, name))];
}
