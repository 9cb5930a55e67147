import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

/** Lines that the shell was at, with the cursor at their end, and words that it offers there. */
const lines: [line: string[], offered: string[], others: string[]][] = [
	[["se"], ["sessions"], ["--mode"]],
	[["--mo"], ["--mode", "--model"], ["sessions"]],
	[["--mode", ""], ["text", "json", "rpc"], ["sessions"]],
	[["--mode="], ["--mode=json"], []],
	[["-p", "--model", ""], ["played/played-1"], ["sessions"]],
	[["sessions", ""], ["list", "export"], ["--mode"]],
	[["sessions", "export", "--format", ""], ["html", "md"], ["list"]],
	[["config", "get", ""], ["theme", "modelRoles"], ["list"]],
	[["mcp", "--"], ["--always-load"], ["--print"]],
	[["login", ""], ["anthropic"], ["sessions"]],
];

needs("bash")("bash completes commands, flags, their values, models and settings", async () => {
	await using tau = await launch({ steps: [] });
	const script = join(tau.home, "completion.bash");
	writeFileSync(script, (await tau.run(["completion", "bash"])).out);
	const offers = async (words: readonly string[]): Promise<string[]> => {
		const program = `source "$1"; shift; COMP_WORDS=(tau "$@"); COMP_CWORD=$#; compopt() { :; }; _tau; printf '%s\\n' "\${COMPREPLY[@]}"`;
		const child = Bun.spawn(["bash", "--norc", "-c", program, "bash", script, ...words], {
			cwd: tau.project,
			env: { ...tau.env, PATH: `${root}:${tau.env.PATH}` },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
		expect(err).toBe("");
		return out.trim().split("\n");
	};
	for (const [words, offered, others] of lines) {
		const found = await offers(words);
		expect({ words, found }).toEqual({ words, found: expect.arrayContaining(offered) });
		for (const other of others) expect(found).not.toContain(other);
	}
});

test("a prompt and a path are completed by the shell's own names of files", async () => {
	await using tau = await launch({ steps: [] });
	const words = async (...typed: string[]): Promise<string> =>
		(await tau.run(["completion", "words", "--", ...typed.map((word) => `=${word}`)])).out;
	expect(await words("fix", "")).toBe(":files\n");
	expect(await words("--cwd", "")).toBe(":files\n");
	expect(await words("sessions", "list", "")).toBe("");
});

test("a shell without completion is named, with those that have it", async () => {
	await using tau = await launch({ steps: [] });
	expect(await tau.run(["completion", "tcsh"])).toMatchObject({
		code: 2,
		err: expect.stringContaining("Choose one of: bash, zsh, fish."),
	});
});

needs("zsh")("the script for zsh has no syntax error", async () => {
	await using tau = await launch({ steps: [] });
	const script = join(tau.home, "completion.zsh");
	writeFileSync(script, (await tau.run(["completion", "zsh"])).out);
	expect(Bun.spawnSync(["zsh", "-n", script]).exitCode).toBe(0);
});

needs("fish")("fish completes commands and values", async () => {
	await using tau = await launch({ steps: [] });
	const script = join(tau.home, "completion.fish");
	writeFileSync(script, (await tau.run(["completion", "fish"])).out);
	const ask = (line: string): string =>
		Bun.spawnSync(["fish", "--no-config", "-c", `source ${script}; complete -C '${line}'`], {
			cwd: tau.project,
			env: { ...tau.env, PATH: `${root}:${tau.env.PATH}` },
		}).stdout.toString();
	expect(ask("tau sess")).toContain("sessions\tmanage saved sessions");
	expect(ask("tau --mode ")).toContain("json");
});
