/** `tau task` on a store of its own: what is added in bulk, later, after others, tried again and forgotten. */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { Mirror } from "../git/mirror.ts";
import { SqliteStore } from "../store/sqlite-store.ts";
import type { Task } from "../task.ts";
import type { FleetContext } from "./context.ts";
import { runTaskCommand } from "./task-command.ts";

const test = needs("git");
const base = mkdtempSync(join(tmpdir(), "tau-fleet-commands-"));
const env = { PATH: process.env.PATH ?? "", HOME: base };
let files = 0;

beforeAll(() => {
	// It runs before tests that are all skipped, too.
	if (Bun.which("git") === null) return;
	const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
	for (const args of [
		["init", "--quiet"],
		[...identity, "commit", "--quiet", "--allow-empty", "-m", "Start"],
	])
		expect(Bun.spawnSync(["git", ...args], { cwd: base, env }).exitCode).toBe(0);
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A command line with its store: `run` gives what was printed. */
function commandLine({ isLocal = true, cwd = base } = {}) {
	const store = new SqliteStore({ path: join(base, `${++files}`, "tasks.db") });
	let started = 0;
	const run = async (words: string[], flags: Record<string, string | string[]> = {}, input?: string) => {
		let out = "";
		const context: FleetContext = {
			store,
			isLocal,
			cwd,
			env,
			signal: new AbortController().signal,
			isJson: false,
			print: async (text) => void (out += text),
			flag: (name) => [flags[name] ?? []].flat().at(-1),
			flags: (name) => [flags[name] ?? []].flat(),
			input: async () => input,
			agent: async (name) => ({ name, prompt: "You review.", argv: ["--tools=read"], model: "small" }),
			startWorker: async () => void started++,
			attach: async () => 0,
		};
		const [action = "", ...operands] = words;
		await runTaskCommand(context, action, operands);
		return out;
	};
	const prompts = async (): Promise<string[]> => (await store.list()).map(({ spec }) => spec.prompt);
	return {
		store,
		run,
		prompts,
		starts: () => started,
		[Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
	};
}

test("a file, standard input and a matrix become a task for each line and combination", async () => {
	await using line = commandLine();
	writeFileSync(join(base, "failing.txt"), "# of today\na.test.ts\n\n  b.test.ts\n");
	await line.run(["add", "fix", "{line}"], { from: "failing.txt" });
	await line.run(["add"], { from: "-" }, "tidy up\n");
	await line.run(["add", "test {package} on {os}"], {
		matrix: ["package=api,web", "os=linux,mac"],
		count: "2",
	});
	expect(await line.prompts()).toEqual([
		"fix a.test.ts",
		"fix b.test.ts",
		"tidy up",
		...["api on linux", "api on mac", "web on linux", "web on mac"].flatMap((each) => [
			`test ${each}`,
			`test ${each}`,
		]),
	]);
	await expect(line.run(["add", "fix it"], { from: "failing.txt" })).rejects.toThrow("{line}");
	await expect(line.run(["add", "fix {line}"], { from: "no-such-file" })).rejects.toThrow(
		"--from no-such-file",
	);
	await expect(line.run(["add", "fix"], { matrix: "package=api" })).rejects.toThrow("{package}");
	await expect(line.run(["add", "fix {os}"], { matrix: "os" })).rejects.toThrow("name=a,b,c");
	await expect(line.run(["add", "x"], { count: "10001" })).rejects.toThrow("--count 10001");
	expect(await line.store.list()).toHaveLength(11);
});

test("hostile refs, addresses, labels and prompts are refused or shown without control characters", async () => {
	await using line = commandLine();
	for (const ref of [
		"--upload-pack=touch pwned",
		"--since=yesterday",
		"--git-dir",
		"no such",
		"*",
		"HEAD:x",
		"",
	])
		for (const repo of [undefined, `file://${base}`, "."])
			await expect(line.run(["add", "x"], { ref, ...(repo === undefined ? {} : { repo }) })).rejects.toThrow(
				`--ref ${ref}`,
			);
	for (const repo of [
		"--upload-pack=touch pwned",
		"ext::sh -c touch% pwned",
		"ssh://-oProxyCommand=x/y",
		"a\u0000b",
	])
		await expect(line.run(["add", "x"], { repo })).rejects.toThrow("--repo ");
	for (const label of ["", "a,,b", "a b", "a+b", "a:b", "\u001b[31m", "x".repeat(65), "ü"])
		await expect(line.run(["add", "x"], { label })).rejects.toThrow("a label has letters");
	const many = Array.from({ length: 17 }, (_, at) => `l${at}`);
	await expect(line.run(["add", "x"], { label: many })).rejects.toThrow("at most 16 labels");
	expect(await line.store.list()).toEqual([]);
	const prompt = "\u001b]0;owned\u0007 a\u001b[31mb\u009b2Jc\nsecond\u202eline";
	const id = (await line.run(["add", prompt], { label: ["gpu,linux", "gpu"] })).trim();
	expect((await line.store.get(id))?.spec.labels).toEqual(["gpu", "linux"]);
	for (const words of [["list"], ["show", id], ["result", id]]) {
		const shown = await line.run(words).catch(String);
		expect(shown).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]*$/);
	}
	expect(existsSync(join(base, "pwned"))).toBe(false);
});

test("a ref of another repository is the branch or tag of that name alone, and a tag is its commit", async () => {
	await using line = commandLine();
	const git = (...args: string[]): string => {
		const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
		return Bun.spawnSync(["git", ...identity, ...args], { cwd: base, env })
			.stdout.toString()
			.trim();
	};
	const first = git("rev-parse", "HEAD");
	git("branch", "release");
	git("tag", "-a", "v1", "-m", "One");
	git("commit", "--quiet", "--allow-empty", "-m", "Second");
	const second = git("rev-parse", "HEAD");
	// Listed before the other one.
	git("branch", "a/release");
	const repo = `file://${base}`;
	const commits = new Map<string, string>();
	for (const ref of ["release", "a/release", "v1", "refs/tags/v1", "HEAD", second])
		commits.set(
			ref,
			(await line.store.get((await line.run(["add", ref], { repo, ref })).trim()))?.spec.commit ?? "",
		);
	expect([...commits.values()]).toEqual([first, second, first, first, second, second]);
	await expect(line.run(["add", "x"], { repo, ref: "lease" })).rejects.toThrow("has no such branch or tag");
});

test("a commit that the remote does not have travels as a bundle, and a worker that has only the remote gets it", async () => {
	const cwd = join(base, "laptop");
	const git = (...args: string[]): string => {
		const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
		const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd, env });
		if (exitCode !== 0) throw new Error(stderr.toString());
		return stdout.toString().trim();
	};
	const repo = `file://${base}`;
	expect(Bun.spawnSync(["git", "clone", "--quiet", repo, cwd], { env }).exitCode).toBe(0);
	await using line = commandLine({ isLocal: false, cwd });
	const added = async (): Promise<Task | undefined> =>
		await line.store.get((await line.run(["add", "x"])).trim());
	const pushed = await added();
	expect(pushed?.spec.repo).toBe(repo);
	expect(await line.store.file(pushed?.id ?? "", "in")).toBeUndefined();
	git("commit", "--quiet", "--allow-empty", "-m", "Not pushed");
	const task = await added();
	const commit = git("rev-parse", "HEAD");
	expect(task?.spec).toMatchObject({ repo, commit });
	const bundle = await line.store.file(task?.id ?? "", "in");
	const scratch = join(base, "worker");
	mkdirSync(scratch);
	const { signal } = new AbortController();
	const mirror = await Mirror.open(join(base, "mirrors"), repo, { env, signal, scratch });
	await mirror.bring(commit, { bundle, scratch, signal });
	expect(git("--git-dir", mirror.path, "cat-file", "-t", commit)).toBe("commit");
	// Nothing of it stays in the repository of the user.
	expect(git("for-each-ref", "refs/tau")).toBe("");
});

test("a task waits for its time and for others, and says what it waits for", async () => {
	await using line = commandLine();
	const first = (await line.run(["add", "first"])).trim();
	await line.run(["add", "second"], { after: first });
	await line.run(["add", "tonight"], { delay: "6h" });
	const list = await line.run(["list"]);
	expect(list).toMatch(/ blocked .*second/);
	expect(list).toMatch(/ delayed .*tonight/);
	const lease = await line.store.claim({ id: "w", labels: [] });
	expect(lease?.task.id).toBe(first);
	expect(await line.store.claim({ id: "w", labels: [] })).toBeUndefined();
	if (lease) await line.store.finish(lease, { kind: "done", result: { summary: "ok" } });
	expect((await line.store.claim({ id: "w", labels: [] }))?.task.spec.prompt).toBe("second");
	await expect(line.run(["add", "x"], { after: "nothing" })).rejects.toThrow("--after nothing");
	await expect(line.run(["add", "x"], { delay: "soon" })).rejects.toThrow("90s, 10m, 2h or 1d");
});

test("a task that is over is tried again or forgotten; another has to be stopped first", async () => {
	await using line = commandLine();
	const id = (await line.run(["add", "do it"])).trim();
	await expect(line.run(["retry", id])).rejects.toThrow(`tau task stop ${id}`);
	await expect(line.run(["rm", id])).rejects.toThrow(`tau task stop ${id}`);
	expect(await line.run(["stop", id])).toBe("Stopped 1 of 1.\n");
	await line.run(["retry", id.slice(0, 4)]);
	expect(await line.store.get(id)).toMatchObject({ state: "queued", failures: 0 } satisfies Partial<Task>);
	expect(line.starts()).toBe(2);
	await line.run(["stop"], { all: "" });
	await line.run(["rm", id]);
	expect(await line.run(["list"])).toContain("No tasks");
	await expect(line.run(["show", id])).rejects.toThrow("There is no task");
});
