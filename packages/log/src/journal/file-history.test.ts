/** What is restored, what is left alone, and what survives a crash. */
import { expect, test } from "bun:test";
import {
	existsSync,
	appendFileSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { trimAll } from "./collect.ts";
import { projectRoot } from "./project-root.ts";
import { TestProject } from "./testing/project.ts";

const record = (project: TestProject): string => join(project.home, "session/rewind/changes.ndjson");
const text = (project: TestProject, name: string): string => readFileSync(project.path(name), "utf8");

/** A change by a file tool. */
function commit(project: TestProject, name: string, content: string): void {
	const finish = project.recorder.beforeCommit([project.path(name)], "call");
	project.write({ [name]: content });
	finish(true);
}

test("a file tool's change, its new directories included, is taken back without a watcher", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "one\n" });
	const before = project.snapshot();
	const message = project.log.add("message");
	commit(project, "a.txt", "two\n");
	commit(project, "new/deep/b.txt", "b\n");
	await project.rewind(message);
	expect(project.snapshot()).toEqual(before);
	expect(statSync(record(project)).mode & 0o777).toBe(0o600);
});

test("the user's own edits are kept: after a change, and between two of them", async () => {
	using project = new TestProject();
	project.write({ "since.txt": "1\n", "between.txt": "1\n", "other.txt": "1\n" });
	const message = await project.run("echo 2 | tee since.txt between.txt other.txt");
	project.write({ "between.txt": "mine\n" });
	await project.run("echo 3 >> between.txt");
	project.write({ "since.txt": "mine\n" });
	const plan = await project.history.plan(project.history.momentBefore(message));
	expect(plan.files.map(({ shown, conflict }) => [shown, conflict])).toEqual([
		["between.txt", "edited-between"],
		["other.txt", undefined],
		["since.txt", "changed"],
	]);
	const { restored, skipped } = await project.history.restore(plan, () => false);
	expect([restored, skipped.length, text(project, "since.txt"), text(project, "between.txt")]).toEqual([
		["other.txt"],
		2,
		"mine\n",
		"mine\n3\n",
	]);
	await project.history.restore(
		await project.history.plan(project.history.momentBefore(message)),
		() => true,
	);
	expect([text(project, "since.txt"), text(project, "between.txt")]).toEqual(["1\n", "1\n"]);
	await project.redo();
	expect([text(project, "since.txt"), text(project, "between.txt")]).toEqual(["mine\n", "mine\n3\n"]);
});

test("a file that changes between the preview and the yes is left alone", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	const message = await project.run("echo 2 > a.txt");
	const plan = await project.history.plan(project.history.momentBefore(message));
	project.write({ "a.txt": "just now\n" });
	await project.history.restore(plan, () => true);
	expect(text(project, "a.txt")).toBe("just now\n");
});

test("what the user did before a command is not taken back with it", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	await project.run("true");
	project.write({ "a.txt": "by the user\n", "own.txt": "by the user\n" });
	const message = await project.run("rm a.txt own.txt");
	await project.rewind(message);
	expect([text(project, "a.txt"), text(project, "own.txt")]).toEqual(["by the user\n", "by the user\n"]);
});

test("each branch has its own files, whatever was restored in between", async () => {
	using project = new TestProject();
	project.log.add("root");
	const first = await project.run("echo first > a.txt");
	project.log.add("end of first");
	await project.rewind(first);
	project.log.leaf = "root";
	await project.run("echo second > a.txt; echo x > b.txt");
	project.log.add("end of second");
	for (const [entry, a, hasB] of [
		["end of first", "first\n", false],
		["end of second", "second\n", true],
		["end of first", "first\n", false],
	] as const) {
		await project.history.restore(await project.history.plan(project.history.momentAt(entry)), () => false);
		expect([text(project, "a.txt"), readdirSync(project.root).includes("b.txt")]).toEqual([a, hasB]);
	}
});

test("a resumed session restores, and a torn last line costs only that line", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	const message = await project.run("echo 2 > a.txt");
	await project.run("echo 3 > a.txt");
	const lines = readFileSync(record(project), "utf8").trimEnd().split("\n");
	writeFileSync(record(project), `${lines[0]}\n${lines[1]?.slice(0, 40)}`);
	appendFileSync(join(project.home, "session/rewind/contents-000001.pack"), "torn");
	project.write({ "a.txt": "2\n" });
	project.history = project.newHistory();
	project.recorder.continueWith(project.history);
	expect(project.history.batches).toHaveLength(1);
	await project.rewind(message);
	expect(text(project, "a.txt")).toBe("1\n");
	project.history = project.newHistory();
	expect(project.history.batches).toHaveLength(2);
	await project.redo();
	expect(text(project, "a.txt")).toBe("2\n");
});

test("files outside of the project, in .git and behind a link are not restored by themselves; a large one is named as lost", async () => {
	using project = new TestProject();
	project.write({ ".git/config": "mine\n", "dir/a.txt": "1\n", "large.bin": Buffer.alloc(17 * 1024 * 1024) });
	mkdirSync(join(project.home, "elsewhere"));
	writeFileSync(join(project.home, "elsewhere/a.txt"), "not yours\n");
	const message = await project.run("echo 2 > dir/a.txt; rm large.bin");
	commit(project, "../outside.txt", "x\n");
	commit(project, ".git/config", "x\n");
	project.shell("mv dir old && ln -s ../elsewhere dir");
	const plan = await project.history.plan(project.history.momentBefore(message));
	expect(plan.files.map(({ shown, conflict, lost }) => [shown, conflict ?? lost])).toEqual([
		[join(project.home, "outside.txt"), "outside"],
		[".git/config", "outside"],
		["dir/a.txt", "link"],
		["large.bin", "large"],
	]);
	await project.history.restore(plan, () => false);
	// Not even with a yes: what is behind the link cannot be brought back.
	await project.history.restore(plan, ({ conflict }) => conflict === "link");
	expect(readFileSync(join(project.home, "elsewhere/a.txt"), "utf8")).toBe("not yours\n");
});

test("a home, what is above it and the root of the file system are no projects; a repository around is one", () => {
	using project = new TestProject();
	project.write({ "sub/a.txt": "" });
	mkdirSync(project.path(".git"));
	expect(projectRoot(project.path("sub"), "/nowhere")).toBe(project.root);
	expect(projectRoot(project.path("sub"), project.root)).toBe(project.path("sub"));
	expect([projectRoot(project.home, project.home), projectRoot("/", "/root")]).toEqual([
		undefined,
		undefined,
	]);
	expect(projectRoot(project.home, project.root)).toBeUndefined();
});

test("the oldest contents of a session are removed first, and those of its last 20 prompts stay", async () => {
	using project = new TestProject();
	const noise = (): string => crypto.getRandomValues(Buffer.alloc(60_000)).toString("base64");
	project.log.add("old");
	for (let at = 0; at < 300; at++) commit(project, "a.txt", noise());
	const prompts = Array.from({ length: 20 }, (_, at) => project.log.add(`prompt ${at}`));
	const states = prompts.map(() => {
		const before = project.snapshot();
		commit(project, "a.txt", noise());
		return before;
	});
	const segments = (): string[] =>
		readdirSync(join(project.home, "session/rewind"))
			.filter((name) => name.endsWith(".pack"))
			.toSorted();
	expect(segments()).toEqual(["contents-000001.pack", "contents-000002.pack"]);
	project.history = project.newHistory();
	project.history.trim(1);
	expect(segments()).toEqual(["contents-000002.pack"]);
	await project.rewind("prompt 0");
	expect(project.snapshot()).toEqual(states[0] ?? new Map());
	const { files } = await project.history.plan(project.history.momentBefore("old"));
	expect(files.map(({ action, lost }) => lost ?? action)).toEqual(["delete"]);
});

test("a file that only old prompts changed comes back after the old contents were removed", async () => {
	using project = new TestProject();
	const noise = (): string => crypto.getRandomValues(Buffer.alloc(60_000)).toString("base64");
	project.log.add("old");
	await project.run("echo precious > precious.txt");
	for (let at = 0; at < 300; at++) commit(project, "a.txt", noise());
	for (let at = 0; at < 25; at++) {
		project.log.add(`prompt ${at}`);
		commit(project, "a.txt", noise());
	}
	project.history = project.newHistory();
	project.recorder.continueWith(project.history);
	project.history.trim(1);
	expect(existsSync(join(project.home, "session/rewind/contents-000001.pack"))).toBe(false);
	const message = await project.run("rm precious.txt");
	project.history = project.newHistory();
	await project.rewind(message);
	expect(readFileSync(project.path("precious.txt"), "utf8")).toBe("precious\n");
});

test("over all sessions the oldest contents are removed first, and nothing else", async () => {
	using project = new TestProject();
	const sessions = join(project.home, "sessions");
	const put = (session: string, name: string, at: number): void => {
		const directory = join(sessions, "project", session, "rewind");
		mkdirSync(directory, { recursive: true });
		writeFileSync(join(directory, name), "x".repeat(100));
		utimesSync(join(directory, name), at, at);
	};
	put("b", "contents-000001.pack", 30);
	put("a", "contents-000001.pack", 10);
	put("a", "contents-000002.pack", 20);
	put("a", "changes.ndjson", 1);
	put("a", "other.pack", 1);
	expect(await trimAll(sessions, 150, true)).toBe(200);
	expect(await trimAll(sessions, 150)).toBe(200);
	expect(
		readdirSync(sessions, { recursive: true, encoding: "utf8" })
			.filter((name) => /\w\.\w/.test(name))
			.toSorted(),
	).toEqual([
		"project/a/rewind/changes.ndjson",
		"project/a/rewind/other.pack",
		"project/b/rewind/contents-000001.pack",
	]);
});

test("without rewind.enabled nothing is recorded; outside of a project only file tools are, with one note", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	for (const [options, batches, notices] of [
		[{ isEnabled: false }, 0, []],
		[{ isProject: false }, 1, ["no-project"]],
	] as const) {
		using recorder = project.newRecorder(options);
		for (const id of ["one", "two"]) {
			await recorder.commandStarting(id);
			project.write({ "a.txt": `${id}\n` });
			await recorder.commandEnded(id);
		}
		const finish = recorder.beforeCommit([project.path("a.txt")], "call");
		project.write({ "a.txt": "3\n" });
		finish(true);
		expect([project.history.batches.length, project.notices]).toEqual([batches, [...notices]]);
	}
});

test("nothing is written through a link that takes the place of a directory, before or after the preview", async () => {
	using project = new TestProject();
	project.write({ "src/a.txt": "1\n", "src/b.txt": "1\n" });
	mkdirSync(join(project.home, "outside"));
	const message = await project.run("rm src/a.txt && chmod 700 src");
	const plan = await project.history.plan(project.history.momentBefore(message));
	renameSync(project.path("src"), project.path("moved"));
	symlinkSync(join(project.home, "outside"), project.path("src"));
	expect((await project.history.restore(plan, () => true)).restored).toEqual([]);
	const later = await project.history.plan(project.history.momentBefore(message));
	// The link is the user's, and stays.
	expect((await project.history.restore(later, () => false)).restored).toEqual([]);
	expect(readdirSync(join(project.home, "outside"))).toEqual([]);
	expect((await project.history.restore(later, () => true)).restored).toContain("src/a.txt");
	expect(readdirSync(project.path("src"))).toEqual(["a.txt"]);
	expect(readdirSync(join(project.home, "outside"))).toEqual([]);
});

test("nothing is overwritten if what is there cannot be stored; recording continues with a notice", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	const message = await project.run("echo 2 > a.txt");
	project.write({ "a.txt": "mine\n" });
	const contents = join(project.home, "session/rewind/contents-000001.pack");
	renameSync(contents, `${contents}.aside`);
	symlinkSync("/dev/full", contents);
	const plan = await project.history.plan(project.history.momentBefore(message));
	const { restored, failed } = await project.history.restore(plan, () => true);
	expect([restored.length, failed.length, text(project, "a.txt")]).toEqual([0, 1, "mine\n"]);
	await project.run("echo 3 > a.txt");
	await project.run("echo 4 > a.txt");
	expect(project.notices).toEqual(["not-stored"]);
});

test("a stored content that claims to be larger than any file is not unpacked", () => {
	using project = new TestProject();
	const bomb = Bun.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
	const hash = "ab".repeat(32);
	project.history.store.put(hash, () => bomb);
	expect(project.history.store.get(hash)).toBeUndefined();
});

test("what changes while only a background job runs is kept, and restored with a yes: it may be the user's work", async () => {
	using project = new TestProject();
	project.write({ "job.txt": "1\n", "both.txt": "1\n", "command.txt": "1\n" });
	project.recorder.isBusy = () => true;
	const message = await project.run("echo 2 | tee both.txt command.txt");
	project.write({ "job.txt": "3\n", "both.txt": "3\n" });
	await project.run("true");
	const plan = await project.history.plan(project.history.momentBefore(message));
	expect(plan.files.map(({ shown, conflict }) => [shown, conflict])).toEqual([
		["both.txt", "background"],
		["command.txt", undefined],
		["job.txt", "background"],
	]);
	await project.history.restore(plan, () => true);
	expect(["job.txt", "both.txt"].map((name) => text(project, name))).toEqual(["1\n", "1\n"]);
});

test("a failure to record is a notice, and not a failure of the command", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	Object.assign(project.history, {
		trim() {
			throw new Error("out of order");
		},
	});
	await project.run("echo 2 > a.txt");
	expect(project.notices).toEqual(["not-stored"]);
});

needs("git")(
	"restoring many files lets other work happen meanwhile, can be stopped, and can be taken up again",
	async () => {
		using project = new TestProject();
		const files = Array.from({ length: samples(1500, 400) }, (_, at): [string, string] => [
			`sub${at % 30}/${at}.txt`,
			`${at}\n`,
		]);
		project.write(Object.fromEntries(files));
		project.commitAll();
		const before = project.snapshot();
		const message = await project.run("rm -r sub*");
		const stop = new AbortController();
		const meanwhile = (): void => {
			// As a key that is pressed while it restores.
			if (existsSync(project.path("sub0/0.txt"))) stop.abort();
			else setImmediate(meanwhile);
		};
		setImmediate(meanwhile);
		const plan = await project.history.plan(project.history.momentBefore(message));
		const { restored, failed, skipped } = await project.history.restore(plan, () => false, stop.signal);
		// That it was stopped in the middle shows that other work happened: on a quick machine planning takes one turn.
		expect(restored.length + failed.length).toBe(plan.files.length);
		expect({ isPart: restored.length > 0 && failed.length > 0, skipped }).toEqual({
			isPart: true,
			skipped: [],
		});
		expect(failed[0]?.reason).toBe("stopped before it was restored");
		await project.rewind(message);
		expect(project.snapshot()).toEqual(before);
	},
	180_000,
);
