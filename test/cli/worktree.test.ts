/** `--worktree`: a session works in a git worktree of its own, which is merged back, or removed when nothing is in it. */
import { afterEach, beforeEach, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch, type Launched } from "../support/launch.ts";

const test = needs("git");
const write = (path: string, content: string) => ({
	answer: { blocks: [{ toolCall: { name: "write", arguments: { path, content } } }] },
});

let tau: Launched;

beforeEach(async () => {
	tau = await launch({ steps: [write("new.txt", "new\n"), "Written.", "Nothing to do."] });
	const config = "[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n";
	writeFileSync(join(tau.home, ".gitconfig"), config);
	git("init", "-q");
	mkdirSync(join(tau.project, "sub"));
	writeFileSync(join(tau.project, "sub/old.txt"), "old\n");
	git("add", "-A");
	git("commit", "-qm", "Begin");
});
afterEach(() => tau[Symbol.asyncDispose]());

function git(...args: string[]): string {
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd: tau.project, env: tau.env });
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

/** Git's own word for where the worktree of the branch is. */
function pathOf(branch: string): string {
	const listed = git("worktree", "list", "--porcelain").split("\n\n");
	const found = listed.find((entry) => entry.includes(`branch refs/heads/${branch}`));
	return found?.split("\n")[0]?.replace("worktree ", "") ?? "";
}

const run = (...args: string[]) => tau.run(["-p", "--trust", "--worktree", ...args]);

test("the project stays as it is; what was made is on a branch that is named at the end and continued by its name", async () => {
	const { code, err } = await run("fix", "write a file");
	expect([code, err]).toEqual([0, expect.stringContaining("your work is on the branch tau/fix")]);
	expect(existsSync(join(tau.project, "new.txt"))).toBe(false);
	expect(git("status", "--porcelain")).toBe("");
	const path = pathOf("tau/fix");
	expect(readFileSync(join(path, "new.txt"), "utf8")).toBe("new\n");
	await run("fix", "anything left?");
	expect(pathOf("tau/fix")).toBe(path);
});

test("a worktree in which nothing was done is removed with its branch; a prompt is no name", async () => {
	await run("gone", "write a file");
	Bun.spawnSync(["rm", join(pathOf("tau/gone"), "new.txt")]);
	const { err } = await run("gone", "what is here?");
	expect(err).not.toContain("your work is on");
	expect(git("branch", "--list", "tau/*")).toBe("");
	expect(git("worktree", "list").split("\n")).toHaveLength(1);
	expect(tau.played.requests.at(-1)?.rawBody).toContain("what is here?");
});

test("it begins in the same directory, and /worktree merge brings its commits back", async () => {
	const cwd = join(tau.project, "sub");
	const args = ["--mode", "rpc", "--trust", "--worktree", "back"];
	const rpc = tau.start(args, { stdin: "pipe", cwd });
	const { stdin } = rpc.process;
	if (typeof stdin !== "object") throw new Error("no input");
	const send = (command: Record<string, unknown>): void => void stdin.write(`${JSON.stringify(command)}\n`);
	const answered = (id: string) =>
		rpc.until(({ out }) => out.split("\n").some((line) => line.includes(`"id":"${id}"`)));
	send({ id: "p", type: "prompt", message: "write" });
	await rpc.until(({ out }) => out.includes('"type":"agent_end"'));
	send({ id: "m1", type: "run_command", name: "worktree", args: "merge" });
	await answered("m1");
	expect(rpc.output().out).toContain("1 changed file is not committed");
	const path = pathOf("tau/back");
	expect(existsSync(join(path, "sub/new.txt"))).toBe(true);
	for (const step of [
		["add", "-A"],
		["commit", "-qm", "Add a file"],
	])
		Bun.spawnSync(["git", ...step], { cwd: path, env: tau.env });
	// What a command of the model may make is not what is merged.
	git("tag", "tau/back", "main");
	send({ id: "m2", type: "run_command", name: "worktree", args: "merge" });
	await answered("m2");
	expect(rpc.output().out).toContain("Merged 1 commit of tau/back into main");
	expect(readFileSync(join(tau.project, "sub/new.txt"), "utf8")).toBe("new\n");
	await stdin.end();
	expect((await rpc.finished).code).toBe(0);
	expect(git("branch", "--list", "tau/*")).toBe("");
});

test("/worktree merge asks before it writes a protected file, also one that the work tree does not show", async () => {
	const args = ["--mode", "rpc", "--trust", "--worktree", "back"];
	const rpc = tau.start(args, { stdin: "pipe", cwd: tau.project });
	const { stdin } = rpc.process;
	if (typeof stdin !== "object") throw new Error("no input");
	const send = (command: Record<string, unknown>): void => void stdin.write(`${JSON.stringify(command)}\n`);
	const answered = (id: string) =>
		rpc.until(({ out }) => out.split("\n").some((line) => line.includes(`"id":"${id}"`)));
	send({ id: "s", type: "get_state" });
	await answered("s");
	const path = pathOf("tau/back");
	// As a command in the sandbox can: no protected file is written.
	const blob = Bun.spawnSync(["git", "hash-object", "-w", "--stdin"], {
		cwd: path,
		stdin: Buffer.from("{}"),
	});
	const entry = `100644,${blob.stdout.toString().trim()},.vscode/tasks.json`;
	for (const step of [
		["update-index", "--add", "--cacheinfo", entry],
		["commit", "-qm", "Plant"],
		["update-index", "--skip-worktree", ".vscode/tasks.json"],
	])
		Bun.spawnSync(["git", ...step], { cwd: path, env: tau.env });
	send({ id: "m", type: "run_command", name: "worktree", args: "merge" });
	await rpc.until(({ out }) => out.includes("The merge changes 1 protected file. Merge?"));
	const question =
		rpc
			.output()
			.out.split("\n")
			.find((line) => line.includes("The merge changes")) ?? "";
	send({ type: "extension_ui_response", id: JSON.parse(question).id, confirmed: false });
	await answered("m");
	expect(rpc.output().out).toContain("Nothing was merged: the merge changes protected files");
	expect(rpc.output().out).toContain(".vscode/tasks.json (settings of an editor");
	expect(existsSync(join(tau.project, ".vscode"))).toBe(false);
	await stdin.end();
	await rpc.finished;
});

test("outside a repository, with a bad name or without trust it says what is wrong, and makes nothing", async () => {
	const outside = await tau.run(["-p", "--trust", "--worktree", "--cwd", tau.home, "go"]);
	expect([outside.code, outside.err]).toEqual([2, expect.stringContaining("needs a git repository")]);
	const named = await tau.run(["-p", "--trust", "--worktree=../up", "go"]);
	expect([named.code, named.err]).toEqual([2, expect.stringContaining('"../up" cannot name a worktree')]);
	const untrusted = await tau.run(["-p", "--worktree", "x", "go"]);
	expect([untrusted.code, untrusted.err]).toEqual([2, expect.stringContaining("add --trust")]);
	expect(git("worktree", "list").split("\n")).toHaveLength(1);
	expect(tau.played.requests).toEqual([]);
});

test("code that a command has committed and the project does not have is not run in a worktree", async () => {
	mkdirSync(join(tau.home, ".tau/agent"), { recursive: true });
	const trust = join(tau.home, ".tau/agent/trust.json");
	writeFileSync(trust, JSON.stringify({ projects: { [tau.project]: true }, code: { [tau.project]: {} } }));
	const ran = join(tau.home, "ran");
	// As a command in the sandbox can: the work tree stays as it is.
	mkdirSync(join(tau.project, ".tau/extensions"), { recursive: true });
	const code = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, ""); export default () => {};`;
	writeFileSync(join(tau.project, ".tau/extensions/x.ts"), code);
	git("add", "-A");
	git("commit", "-qm", "Plant");
	const planted = git("rev-parse", "HEAD");
	git("reset", "-q", "--hard", "HEAD~");
	git("branch", "tau/known", planted);
	const { code: exit, err } = await tau.run(["-p", "--worktree", "known", "go"]);
	expect([exit, existsSync(ran)]).toEqual([0, false]);
	expect(err).toContain("did not run");
});
