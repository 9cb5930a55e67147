import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { Tmux } from "../support/tmux.ts";

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
	[["completion", ""], ["bash", "fish"], ["words"]],
	[["config", "set", "retry.enabled", ""], ["true", "false"], []],
	[["--use-theme", ""], ["auto"], []],
	[["config", "set", "theme", ""], ["auto", "dusk"], []],
	[["--fallback-model", ""], ["played/played-1"], []],
	[["setup", "install", ""], ["git", "bubblewrap"], ["list"]],
	[["plugin", ""], ["list", "enable", "disable", "config"], []],
	[["plugin", "config", ""], ["list", "validate", "set"], ["enable"]],
	[["--machine", ""], ["ssh:box"], []],
	[["--machine=ssh:"], ["--machine=ssh:box"], []],
	[["--model=pl"], ["--model=played/played-1"], []],
];

test("commands, flags, their values, models, settings, themes, hosts and packages are offered", async () => {
	await using tau = await launch({ steps: [] });
	mkdirSync(join(tau.home, ".tau/agent"), { recursive: true });
	writeFileSync(join(tau.home, ".tau/agent/ssh.json"), '{"hosts":{"box":{"host":"box.example"}}}');
	for (const [words, offered, others] of lines) {
		const { out } = await tau.run(["completion", "words", "--", ...words.map((word) => `=${word}`)]);
		const found = out.split("\n").map((line) => line.split("\t")[0]);
		expect({ words, found }).toEqual({ words, found: expect.arrayContaining(offered) });
		for (const other of others) expect(found).not.toContain(other);
	}
});

/** A shell in a terminal, with the completion of tau loaded as its users load it. */
async function completes(
	shell: readonly string[],
	load: string,
	cases: readonly (readonly [typed: string, completed: string])[],
): Promise<void> {
	await using tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "sample-file.txt"), "");
	const path = `${root}:${tau.env.PATH}`;
	const env = Object.entries({ ...tau.env, PATH: path, PS1: "> " }).map(
		([name, value]) => `${name}=${value}`,
	);
	using pane = new Tmux(120, 30, ["env", "-i", ...env, "TERM=screen", ...shell], tau.project);
	pane.keys(`${load}; echo rea""dy`);
	pane.press("Enter");
	await pane.until((rows) => rows.includes("ready"));
	for (const [line, completed] of cases) {
		pane.keys(line);
		pane.press("Tab");
		await pane.until((rows) => rows.some((row) => row.includes(completed)));
		pane.press("C-u");
	}
}

const completedLines = [
	["tau sess", "tau sessions"],
	["tau --model=pla", "tau --model=played/played-1"],
	["tau -p @sample", "tau -p @sample-file.txt"],
	["tau --config=sample", "tau --config=sample-file.txt"],
] as const;

needs("bash", "tmux")("bash completes tau, and every other command as before", async () => {
	await completes(["bash", "--norc", "-i"], 'eval "$(tau completion bash)"', [
		...completedLines,
		["dd if=/etc/passw", "dd if=/etc/passwd"],
		["export FOO=/etc/passw", "export FOO=/etc/passwd"],
	]);
});

needs("zsh", "tmux")("zsh completes tau", async () => {
	const load = 'autoload -Uz compinit; compinit -u -D; eval "$(tau completion zsh)"';
	await completes(["zsh", "-f", "-i"], load, completedLines);
});

needs("fish", "tmux")("fish completes tau", async () => {
	await completes(["fish", "--no-config", "-i"], "tau completion fish | source", completedLines);
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
