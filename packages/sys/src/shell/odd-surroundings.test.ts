/** Commands run even if Tau's own environment is empty or points to missing directories. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The output of a command in a separate program: its directory and PATH are fixed at its start. */
async function outputIn(env: Record<string, string>): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "tau-odd-"));
	try {
		const script = `
			import { ShellSession } from ${JSON.stringify(join(import.meta.dir, "session.ts"))};
			const session = new ShellSession({ cwd: ${JSON.stringify(home)}, env: process.env });
			let text = "";
			const run = { command: "echo ran", timeoutMs: 40_000, signal: new AbortController().signal,
				onOutput: (chunk) => { text += Buffer.from(chunk); } };
			await session.run(run).catch((error) => { text = error.message; });
			process.stdout.write(text);`;
		writeFileSync(join(home, "program.ts"), script);
		const command = [process.execPath, join(home, "program.ts")];
		const program = Bun.spawn(command, { env, stdout: "pipe", timeout: 60_000 });
		return await program.stdout.text();
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

test("commands run even if TMPDIR does not exist", async () => {
	expect(await outputIn({ PATH: process.env.PATH ?? "", TMPDIR: "/tau/none" })).toBe("ran\n");
});

test("without PATH, commands run in the system's shell", async () => {
	expect(await outputIn({})).toBe("ran\n");
});

test("a PATH without a shell is reported as such", async () => {
	expect(await outputIn({ PATH: "/tau/none" })).toBe("No bash or sh on PATH. Install bash to run commands.");
});
