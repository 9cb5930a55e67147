/** An export is complete, or does not exist. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionManager } from "@tau/log";
import { exportSession } from "./export-session.ts";

test("without a file name, the page has the title of the session and the start of its id", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-export-"));
	try {
		using session = SessionManager.inMemory("/work");
		session.appendMessage({ role: "user", content: "hi", timestamp: 1 });
		const id = session.getSessionId();
		expect(await exportSession(session, { cwd: directory })).toBe(join(directory, `${id}.html`));
		session.appendSessionInfo("Fix ../the Übergabe: tests!");
		const named = join(directory, `fix-the-übergabe-tests-${id.slice(0, 13)}.md`);
		expect(await exportSession(session, { cwd: directory, format: "md" })).toBe(named);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("an export that fails on a full disk leaves no partial file in the way of the next one", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-export-"));
	try {
		const program = `
			import { SessionManager } from ${JSON.stringify(join(import.meta.dir, "../../../log/src/log/index.ts"))};
			import { exportSession } from ${JSON.stringify(join(import.meta.dir, "export-session.ts"))};
			using session = SessionManager.inMemory("/work");
			session.appendMessage({ role: "user", content: "x".repeat(100_000), timestamp: 1 });
			const failed = await exportSession(session, { file: "talk.html" }).then(() => "no", (error) => error.code);
			process.stdout.write(String(failed));`;
		writeFileSync(join(directory, "program.ts"), program);
		// A limit on the size of files simulates a full disk, without the right to mount one.
		const limited = ["sh", "-c", `ulimit -f 20; exec "$0" program.ts`, process.execPath];
		const run = Bun.spawn(limited, { cwd: directory, stdout: "pipe", timeout: 60_000 });
		expect(await run.stdout.text()).toBe("EFBIG");
		expect(readdirSync(directory)).toEqual(["program.ts"]);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
