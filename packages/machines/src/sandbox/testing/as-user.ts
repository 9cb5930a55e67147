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
		await chown(home, user, user);
		const canRead = Bun.spawnSync([...become, "sh", "-c", '[ -r "$0" ]', file]).success;
		const command = canRead ? suiteOf(file, clone) : mounted(file, mkdtempSync(join(home, "clone-")));
		const child = Bun.spawn(command, {
			cwd: clone,
			env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
			stdout: "pipe",
			stderr: "pipe",
		});
		const [code, report] = await Promise.all([child.exited, child.stderr.text()]);
		return { code, report };
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

/** `root` is where the clone is for the user. */
function suiteOf(file: string, root: string): string[] {
	const there = (path: string): string => (path.startsWith(clone) ? root + path.slice(clone.length) : path);
	return [...become, there(process.execPath), "test", there(file), "--timeout=60000"];
}

/** A clone in a private home is mounted in a directory that the user can enter, for this run alone. */
function mounted(file: string, root: string): string[] {
	chmodSync(root, 0o755);
	const script = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"';
	return ["unshare", "--mount", "sh", "-c", script, clone, root, ...suiteOf(file, root)];
}
