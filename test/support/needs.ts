/** Skips a test, with the reason in its name, if the machine lacks what it needs. */
import { test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Body = () => void | Promise<unknown>;

export interface Promised {
	(name: string, body: Body, timeoutMs?: number): void;
	/** As `test.each`. */
	each: typeof test.each;
}

/** What is no program: a right or an ability that containers and ordinary users may not have. */
const abilities: Readonly<Record<string, () => boolean>> = {
	root: () => process.getuid?.() === 0,
	"an ordinary user": () => process.getuid?.() !== 0,
	overlay: canMountOverlay,
	"mounts of its own": () =>
		Bun.which("unshare") !== null &&
		Bun.spawnSync([...ownMounts(), "mount", "-t", "tmpfs", "tmpfs", tmpdir()]).success,
	"a working bwrap": () =>
		Bun.which("bwrap") !== null &&
		Bun.spawnSync(["bwrap", "--ro-bind", "/", "/", "--unshare-net", "--unshare-pid", "true"]).success,
};
const known = new Map<string, boolean>();

/**
 * `needs("tmux")("a resize keeps the prompt", async () => { … })`. `"node>=24"` asks for a major version, a path for a file,
 * and "root", "overlay" and other abilities for what their names say. `const test = needs("git")` applies to a whole file.
 */
export function needs(...wanted: string[]): Promised {
	const missing = wanted.filter((each) => !known.getOrInsertComputed(each, isThere));
	if (missing.length === 0) return test;
	const reason = ` (needs ${missing.join(" and ")})`;
	const skip = (name: string, body: Body, timeoutMs?: number): void =>
		test.skip(`${name}${reason}`, body, timeoutMs);
	return Object.assign(skip, { each: skipEach(reason) });
}

/** Passes the rows on, with the reason after the name. */
function skipEach(reason: string): typeof test.each {
	const each = (rows: readonly unknown[]) => (name: string, body: () => void, timeoutMs?: number) =>
		test.skip.each([...rows])(`${name}${reason.replaceAll("%", "%%")}`, body, timeoutMs);
	return each as typeof test.each;
}

function isThere(wanted: string): boolean {
	const ability = abilities[wanted];
	if (ability) return ability();
	if (wanted.startsWith("/")) return existsSync(wanted);
	const [program = "", major] = wanted.split(">=");
	const path = Bun.which(program);
	if (path === null || major === undefined) return path !== null;
	const { stdout } = Bun.spawnSync([path, "--version"], { stdin: "ignore", stderr: "ignore" });
	const [, found = "0"] = /(\d+)\./.exec(stdout.toString()) ?? [];
	return Number(found) >= Number(major);
}

/** The start of a command line that may mount, as nobody else sees. */
export function ownMounts(): string[] {
	return ["unshare", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]), "--mount"];
}

/** An overlay cannot lie on another one, which is what the root of a container is. */
function canMountOverlay(): boolean {
	if (Bun.which("unshare") === null) return false;
	const folder = mkdtempSync(join(tmpdir(), "tau-overlay-"));
	try {
		for (const name of ["lower", "upper", "work", "merged"]) mkdirSync(join(folder, name));
		writeFileSync(join(folder, "lower/a"), "");
		const mount = `mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged && : >merged/a`;
		return Bun.spawnSync([...ownMounts(), "sh", "-c", mount], {
			cwd: folder,
			stdio: ["ignore", "ignore", "ignore"],
		}).success;
	} finally {
		// The kernel leaves a directory behind that its owner cannot list.
		Bun.spawnSync(["chmod", "-R", "u+rwX", folder]);
		rmSync(folder, { recursive: true, force: true });
	}
}
