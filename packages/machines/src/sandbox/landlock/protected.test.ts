/** Copies of what Landlock protects: commands can read them. */
import { expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ProtectedFiles } from "./protected.ts";

test("regression: what a link on the way leads to is not copied to where commands read it", () => {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-protected-")));
	try {
		const [project, hidden, copies] = [join(base, "project"), join(base, "hidden"), join(base, "copies")];
		for (const path of [join(project, ".cursor"), hidden, copies]) mkdirSync(path, { recursive: true });
		const path = join(project, ".cursor/mcp.json");
		writeFileSync(path, "{}\n");
		writeFileSync(join(hidden, "mcp.json"), "secret\n");
		const start = (): void => {
			const profile = { readOnly: [path], writable: [project] };
			const options = { profile, copies, changed: join(base, "changed"), runInside: () => false };
			new ProtectedFiles(options).commandStarts(false);
		};
		start();
		expect(readFileSync(join(copies, "0"), "utf8")).toBe("{}\n");
		// As a process that a command has left behind does while the next command starts.
		renameSync(join(project, ".cursor"), join(project, "other"));
		symlinkSync(hidden, join(project, ".cursor"));
		expect(start).toThrow("could not be copied");
		expect(existsSync(join(copies, "0"))).toBe(false);
	} finally {
		rmSync(base, { recursive: true });
	}
});
