/** Commands have the user's functions and aliases, and a broken rc file does no harm. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { rcSnapshot } from "./rc-snapshot.ts";
import { ShellSession } from "./session.ts";

let home = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-rc-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function environment(): Record<string, string> {
	return { PATH: process.env.PATH ?? "", HOME: home };
}

function writeRc(text: string): void {
	writeFileSync(join(home, ".bashrc"), text);
}

/** The output of a command in a session that starts with the snapshot. */
async function inSession(command: string, cacheDir?: string): Promise<string> {
	const env = environment();
	const snapshot = (): Promise<string> =>
		rcSnapshot({ env, ...(cacheDir === undefined ? {} : { cacheDir }) });
	await using session = new ShellSession({ cwd: home, env, snapshot });
	let text = "";
	await session.run({
		command,
		timeoutMs: 20_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => void (text += Buffer.from(chunk).toString()),
	});
	return text;
}

test("aliases, functions and options of a file that is for interactive shells only", async () => {
	writeRc(
		"case $- in *i*) ;; *) return ;; esac\nalias greet='echo hello'\nmine() { echo mine $1; }\nshopt -s histverify\n",
	);
	expect(await inSession("greet; mine 1; shopt histverify")).toBe("hello\nmine 1\nhistverify     \ton\n");
});

test("regression: programs that are judged by their names are not those of an alias or a function", async () => {
	writeRc(
		[
			"IFS=:",
			"alias grep='grep -R' cat='echo alias' gr='grep -c' python='echo snake' find=bfs-that-is-not-there",
			"ls() { echo function; }; cd() { builtin cd /; }; git() { echo function; }; readonly -f git",
			"echo_twice() { echo $1 $1; }",
		].join("\n"),
	);
	writeFileSync(join(home, "file"), "text\n");
	const command =
		"cd .; pwd; cat file; ls file; grep text file; gr text file; find file; git --version; python; echo_twice a";
	expect(await inSession(command)).toMatch(
		new RegExp(`^${home}\ntext\nfile\ntext\n1\nfile\ngit version .*\nsnake\na a\n$`),
	);
});

test("a directory is entered by its name, never by what a variable of that name contains", async () => {
	writeRc("shopt -s cdable_vars\n");
	expect(await inSession("elsewhere=/; cd elsewhere 2>/dev/null || pwd")).toBe(`${home}\n`);
});

test("a pattern matches what it was judged by, whatever options the file or an earlier command has set", async () => {
	writeRc("shopt -s globstar nocaseglob\n");
	mkdirSync(join(home, "deep", "er"), { recursive: true });
	writeFileSync(join(home, "deep", "er", "found"), "");
	expect(await inSession("echo ./**/found; echo DEE*")).toBe("./**/found\nDEE*\n");
	expect(await inSession("shopt -s globstar; echo ./**/found")).toBe("./deep/er/found\n");
});

test("completions, which only interactive use needs, are left out", async () => {
	writeRc("_complete() { :; }\n__helper() { :; }\n");
	const script = await rcSnapshot({ env: environment() });
	expect(script).toContain("__helper ()");
	expect(script).not.toContain("_complete ()");
});

test("without a file there is no snapshot", async () => {
	expect(await rcSnapshot({ env: environment() })).toBe("");
});

describe("a file that", () => {
	const broken: [what: string, text: string][] = [
		["has an error", "if then\n"],
		["fails", "false\nnosuch-program\n"],
		["prints", "echo noise; echo noise >&2\n"],
		["exits", "exit 3\n"],
		["kills the shell", "kill -9 $$\n"],
		["becomes another program", "exec true\n"],
		["reads the keyboard", "read -r answer\n"],
		["makes options strict", "set -eu\n"],
	];
	test.each(broken)("%s does no harm", async (_what, text) => {
		writeRc(text);
		expect(await inSession("echo on")).toBe("on\n");
	});

	test("has an error at its end gives the definitions before it", async () => {
		writeRc("alias greet='echo hello'\nif then\n");
		expect(await inSession("greet")).toBe("hello\n");
	});
});

test("the user's history is not changed", async () => {
	writeRc("HISTFILE=~/history\nset -o history\n");
	await inSession("echo on");
	expect(existsSync(join(home, "history"))).toBe(false);
});

describe("the snapshot is cached for the next program", () => {
	test("for this user only, until the file changes", async () => {
		const cacheDir = join(home, "cache");
		writeRc("echo x >> ~/read; alias greet='echo hello'\n");
		expect(await inSession("greet", cacheDir)).toBe("hello\n");
		const [name = ""] = readdirSync(cacheDir);
		expect(statSync(join(cacheDir, name)).mode & 0o777).toBe(0o600);
		// The file as another program would find it.
		writeFileSync(join(cacheDir, name), "alias greet='echo from the cache'\n");
		const script = `
			import { rcSnapshot } from ${JSON.stringify(join(import.meta.dir, "rc-snapshot.ts"))};
			process.stdout.write(await rcSnapshot({ env: ${JSON.stringify(environment())}, cacheDir: ${JSON.stringify(cacheDir)} }));`;
		const program = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", timeout: 60_000 });
		expect(await program.stdout.text()).toBe("alias greet='echo from the cache'\n");
		writeRc("alias greet='echo changed'\n");
		expect(await inSession("greet", cacheDir)).toBe("changed\n");
		expect(readdirSync(cacheDir)).toHaveLength(1);
	});
});
