/** Finding what a command changed: large trees, lost events, repositories in repositories, and git left alone. */
import { expect, setDefaultTimeout, test } from "bun:test";
import {
	chmodSync,
	closeSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
} from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { samples } from "../../../../test/support/depth.ts";
import { TestProject } from "./testing/project.ts";

// They make thousands of files: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

const untracked = samples(10_000);

test(`${untracked} untracked files come back after all were deleted`, async () => {
	using project = new TestProject();
	for (let at = 0; at < untracked; at++) project.write({ [`d${at % 100}/f${at}`]: `content ${at}\n` });
	const before = project.snapshot();
	const message = await project.run("rm -rf ./*");
	expect(project.snapshot().size).toBe(1);
	await project.rewind(message);
	expect(project.snapshot().size).toBe(before.size);
	expect(Bun.deepEquals(project.snapshot(), before)).toBe(true);
}, 180_000);

test("a command that did not wait for the copies: a rewind names what it cannot bring back, and leaves nothing silently", async () => {
	using project = new TestProject();
	// Copying them takes longer than one turn of the event loop, and so than the wait.
	for (let at = 0; at < 2000; at++) project.write({ [`d/f${at}`]: `content ${at}\n` });
	project.recorder = project.newRecorder({ prepareMs: 0 });
	const message = project.log.add("message");
	await project.recorder.commandStarting("one");
	expect(project.notices).toEqual(["slow"]);
	project.write({ "made.txt": "1\n", "new/inner.txt": "1\n", "d/f0": "other\n", "d/f1999": "other\n" });
	await project.recorder.commandEnded("one");
	const { files } = await project.history.plan(project.history.momentBefore(message));
	// Not every file system knows when a directory was made.
	const named = files.filter(({ shown }) => !shown.endsWith("/"));
	expect(named.map(({ shown, lost }) => `${shown} ${lost}`)).toEqual(
		["d/f0", "d/f1999", "made.txt", "new/inner.txt"].map((path) => `${path} late`),
	);
	// The next command waits: what it changes comes back.
	project.recorder = project.newRecorder();
	const before = project.snapshot();
	const next = await project.run("rm -rf d new && echo 2 > made.txt");
	await project.rewind(next);
	expect(project.snapshot()).toEqual(before);
});

test("a directory that takes the place of an empty one which a program has open is watched", async () => {
	using project = new TestProject();
	project.write({ "a/x.txt": "1\n" });
	mkdirSync(project.path("b"));
	await project.run("true");
	const held = openSync(project.path("b"), "r");
	try {
		await project.run("mv -T a b");
		const before = project.snapshot();
		const message = await project.run("echo 2 > b/x.txt; echo 2 > b/new.txt");
		expect(project.snapshot()).not.toEqual(before);
		await project.rewind(message);
		expect(project.snapshot()).toEqual(before);
	} finally {
		closeSync(held);
	}
});

needs("git")(
	"events that the system lost are made up for by a look at everything",
	async () => {
		using project = new TestProject();
		project.write({ "a.txt": "1\n", "b.txt": "1\n", "sub/c.txt": "1\n" });
		project.shell("git init -q . && git add -A");
		await project.run("true");
		const before = project.snapshot();
		const message = project.log.add("message");
		await project.recorder.commandStarting("one");
		// More events than the queue has room for, all before the recorder can look.
		const most = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
		for (let at = 0; at <= most; at++)
			chmodSync(project.path(at % 2 === 0 ? "a.txt" : "b.txt"), 0o600 + (at % 4));
		renameSync(project.path("sub"), project.path("moved"));
		project.write({ "a.txt": "2\n", "new/d.txt": "2\n" });
		await project.recorder.commandEnded("one");
		await project.rewind(message);
		expect(project.snapshot()).toEqual(before);
	},
	180_000,
);

needs("git")(
	"repositories inside, a submodule and a work tree are restored; nothing is written into any .git",
	async () => {
		using project = new TestProject();
		project.write({ "main.txt": "1\n", "vendor/lib/x.txt": "1\n", "vendor/lib/dirty.txt": "1\n" });
		project.shell(
			`find . -exec touch -h -d '2 minutes ago' {} +
		cd vendor/lib && git init -q . && git add -A && git commit -qm one && git gc -q && echo 2 > dirty.txt
		cd ../.. && git init -q . && git add main.txt && git commit -qm one
		git -c protocol.file.allow=always submodule --quiet add ./vendor/lib mod && git commit -qm mod
		git worktree add -q ../tree`,
		);
		const before = project.snapshot();
		const message = await project.run("rm -rf main.txt vendor/lib/*.txt mod/x.txt && echo 3 > mod/dirty.txt");
		const repository = dates(project.path(".git"));
		await project.rewind(message);
		expect(project.snapshot()).toEqual(before);
		expect(dates(project.path(".git"))).toEqual(repository);
	},
);

needs("git")(
	"ignored files are left alone, .env is not, and a file that a new rule uncovers is never deleted",
	async () => {
		using project = new TestProject();
		project.write({
			".gitignore": "out/\n*.tmp\n.env\n",
			"out/a.js": "1\n",
			"x.tmp": "1\n",
			".env": "KEY=1\n",
			"node_modules/p/index.js": "1\n",
			"kept.tmp": "tracked although it is ignored\n",
		});
		project.shell("git init -q . && git add -f kept.tmp .gitignore");
		const message = await project.run(
			"rm -rf out x.tmp .env node_modules kept.tmp && echo 2 > fresh.tmp && mkdir -p out && echo 2 > out/b.js",
		);
		expect(project.history.batches.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([
			project.path(".env"),
			project.path("kept.tmp"),
		]);
		await project.rewind(message);
		const second = await project.run("echo other > .gitignore");
		await project.rewind(second);
		expect(readFileSync(project.path("fresh.tmp"), "utf8")).toBe("2\n");
		expect(readFileSync(project.path(".env"), "utf8")).toBe("KEY=1\n");
	},
);

test("a change that a running command makes is recorded before the command ends", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	const message = project.log.add("message");
	await project.recorder.commandStarting("long");
	project.write({ "a.txt": "2\n" });
	await project.recorded;
	expect(project.history.batches).toHaveLength(1);
	await project.recorder.commandEnded("long");
	await project.rewind(message);
	expect(readFileSync(project.path("a.txt"), "utf8")).toBe("1\n");
});

/** When each file below a directory was changed last. */
function dates(directory: string): [string, number][] {
	mkdirSync(directory, { recursive: true });
	return readdirSync(directory, { recursive: true, encoding: "utf8" })
		.toSorted()
		.map((name) => [name, statSync(join(directory, name)).mtimeMs]);
}
