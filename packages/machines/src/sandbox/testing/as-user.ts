/** Runs a test file once more as a user without rights. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";

/** A number that no user of a system has by default. */
const user = 45_678;

/** Only root can become another user. */
export const isAdministrator = process.getuid?.() === 0;

const become = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
const clone = join(import.meta.dir, "../../../../..");

export async function runAsUser(file: string): Promise<{ code: number; report: string }> {
	const home = mkdtempSync("/opt/tau-escape-");
	try {
		const child = Bun.spawn(await userCommand(home, ["test", file, "--timeout=60000"]), {
			cwd: clone,
			env: userEnvironment(home),
			stdout: "pipe",
			stderr: "pipe",
		});
		const [code, report] = await Promise.all([child.exited, child.stderr.text()]);
		return { code, report };
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

export function userEnvironment(home: string): Record<string, string | undefined> {
	// A cache in a home that is removed would only be written.
	return {
		PATH: process.env.PATH,
		HOME: home,
		TMPDIR: home,
		BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
	};
}

/** Runs this program as that user, with paths of the clone in its arguments; `before` runs it with root's rights. */
export async function userCommand(
	home: string,
	args: readonly string[],
	before: readonly string[] = [],
): Promise<string[]> {
	await chown(home, user, user);
	const canRead = Bun.spawnSync([...become, "sh", "-c", '[ -r "$0" ]', import.meta.path]).success;
	const root = canRead ? clone : mkdtempSync(join(home, "clone-"));
	const there = (argument: string): string => argument.replaceAll(clone, root);
	const command = [...before, ...become, there(process.execPath), ...args.map(there)];
	return canRead ? command : mounted(command, root);
}

/** A clone in a private home is mounted in a directory that the user can enter, for this run alone. */
function mounted(command: readonly string[], root: string): string[] {
	chmodSync(root, 0o755);
	const script = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"';
	return ["unshare", "--mount", "sh", "-c", script, clone, root, ...command];
}
