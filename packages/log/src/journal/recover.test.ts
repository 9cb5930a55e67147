/** What a command changed whose Tau was killed: it comes back as if the command had ended. */
import { expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "./limits.ts";
import { TestProject } from "./testing/project.ts";

const baseline = (project: TestProject): string => join(project.home, "session/rewind/baseline");

/** Runs a command as a tool call, and continues as the next process does after `kill -9` in the middle of it. */
async function killedIn(project: TestProject, command: string): Promise<string> {
	const message = project.log.add("killed");
	await project.recorder.commandStarting("call");
	project.shell(command);
	await killed(project);
	return message;
}

/** The next process finds what was on disk; the recorder of this one must not go on meanwhile. */
async function killed(project: TestProject): Promise<void> {
	const [session, kept] = ["session", "kept"].map((name) => join(project.home, name)) as [string, string];
	cpSync(session, kept, { recursive: true, preserveTimestamps: true });
	project.recorder[Symbol.dispose]();
	await project.recorder.idle();
	renameSync(session, join(project.home, "left"));
	renameSync(kept, session);
	project.history = project.newHistory();
	project.recorder = project.newRecorder();
}

const trees: Readonly<Record<string, (project: TestProject) => void>> = {
	"in a repository": (project) => project.commitAll(),
	"with git's objects in a pack": (project) => {
		project.commitAll();
		project.shell("git gc -q");
	},
};

needs("git").each(Object.entries(trees))("everything comes back %s", (_name, prepare) => comesBack(prepare));
test("everything comes back without git", () => comesBack(() => {}));

async function comesBack(prepare: (project: TestProject) => void): Promise<void> {
	using project = new TestProject();
	project.write({
		"a.txt": "1\n",
		"sub/b.txt": "1\n",
		"sub/run": "#!/bin/sh\n",
		"c.bin": Buffer.alloc(5000, 7),
	});
	project.chmod("sub/run", 0o755);
	prepare(project);
	project.write({ "a.txt": "dirty\n", "untracked.txt": "1\n" });
	project.link("link", "a.txt");
	await project.run("echo 2 > untracked.txt");
	const before = project.snapshot();
	const message = await killedIn(
		project,
		"rm -r sub c.bin link; echo 3 > a.txt; chmod 600 untracked.txt; mkdir new; echo x > new/file; [ ! -e .git ] || git add -A",
	);
	await project.recorder.idle();
	expect(existsSync(baseline(project))).toBe(false);
	expect(project.history.changesSince([message])).toMatchObject([{ count: 7 }]);
	await project.rewind(message);
	expect(project.snapshot()).toEqual(before);
	await project.redo();
	expect(readFileSync(project.path("a.txt"), "utf8")).toBe("3\n");
}

test("what changed after the process was last known to live may be the user's work, and needs a yes", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	const message = await killedIn(project, "echo 2 > a.txt; rm -f b.txt");
	const longAgo = (Date.now() - 10 * limits.beatMs) / 1000;
	utimesSync(join(baseline(project), "baseline.ndjson"), longAgo, longAgo);
	await project.recorder.idle();
	const plan = await project.history.plan(project.history.momentBefore(message));
	expect(plan.files).toMatchObject([{ shown: "a.txt", conflict: "background" }]);
});

test("nothing is recorded if no command ran; a session that ends leaves no baseline", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	await project.run("echo 2 > a.txt");
	expect(existsSync(baseline(project))).toBe(true);
	project.shell("echo 3 > a.txt");
	const count = project.history.batches.length;
	await killed(project);
	await project.recorder.idle();
	expect(project.history.batches).toHaveLength(count);
	expect(existsSync(baseline(project))).toBe(false);
	await project.run("echo 4 > a.txt");
	project.recorder[Symbol.dispose]();
	await project.recorder.idle();
	expect(existsSync(baseline(project))).toBe(false);
});

test("what is recorded while a command runs is not found again", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n", "b.txt": "1\n" });
	const message = project.log.add("message");
	await project.recorder.commandStarting("call");
	project.shell("echo 2 > a.txt");
	await project.recorder.settle("call");
	await killedIn(project, "echo 2 > b.txt");
	await project.recorder.idle();
	const changed = project.history.batches.map(({ changes }) =>
		changes.map(({ path }) => project.history.shown(path)),
	);
	expect(changed).toEqual([["a.txt"], ["b.txt"]]);
	await project.rewind(message);
	expect(readFileSync(project.path("a.txt"), "utf8") + readFileSync(project.path("b.txt"), "utf8")).toBe(
		"1\n1\n",
	);
});
