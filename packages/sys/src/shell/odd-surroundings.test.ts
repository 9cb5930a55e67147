/** Commands run also where the environment of Tau itself is bare or points nowhere. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a program of its own says of a command: where it runs and what is on its PATH is fixed when it starts. */
async function saysIn(env: Record<string, string>): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "tau-odd-"));
	try {
		const script = `
			import { ShellSession } from ${JSON.stringify(join(import.meta.dir, "session.ts"))};
			const session = new ShellSession({ cwd: ${JSON.stringify(home)}, env: process.env });
			let text = "";
			const run = { command: "echo ran", timeoutMs: 9000, signal: new AbortController().signal,
				onOutput: (chunk) => { text += Buffer.from(chunk); } };
			await session.run(run).catch((error) => { text = error.message; });
			process.stdout.write(text);`;
		writeFileSync(join(home, "program.ts"), script);
		const command = [process.execPath, join(home, "program.ts")];
		const program = Bun.spawn(command, { env, stdout: "pipe", timeout: 10_000 });
		return await program.stdout.text();
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

test("a TMPDIR that is gone does not keep commands from running", async () => {
	expect(await saysIn({ PATH: process.env.PATH ?? "", TMPDIR: "/tau/none" })).toBe("ran\n");
});

test("without any PATH commands run in the shell of the system", async () => {
	expect(await saysIn({})).toBe("ran\n");
});

test("a PATH without a shell is called that", async () => {
	expect(await saysIn({ PATH: "/tau/none" })).toBe("No bash or sh on PATH. Install bash to run commands.");
});
