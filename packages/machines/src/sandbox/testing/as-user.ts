/** Runs a test file once more as a user without rights. */
import { mkdtempSync, rmSync } from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";

/** A number that no user of a system has by default. */
const user = 45_678;

/** Only root can become another user. */
export const isAdministrator = process.getuid?.() === 0;

export async function runAsUser(file: string): Promise<{ code: number; report: string }> {
	const home = mkdtempSync("/opt/tau-escape-");
	try {
		await chown(home, user, user);
		const suite = [process.execPath, "test", file, "--timeout=60000"];
		const child = Bun.spawn(["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...suite], {
			cwd: join(import.meta.dir, "../../../../.."),
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
