/** How third-party extensions work behind the scenes: agents, servers, models, shells, sessions, processes. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../support/needs.ts";
import { model } from "../../../rpc/rpc-process.ts";
import { launch, type Launched } from "../../../support/launch.ts";
import {
	bodyOf,
	callOf,
	loading,
	say,
	shows,
	runExtensions as open,
	waitForNotice,
	toolsOf,
	type ExtensionRunOptions,
} from "../run-extensions.ts";
import { isRunning } from "../../../support/processes.ts";

const folder = join(import.meta.dir, "fixtures");
const openFixture = (names: string[], options?: ExtensionRunOptions) => open(folder, names, options);

/** A repository with one commit and one change. */
function repository({ project }: Launched): void {
	const as = ["-c", "user.name=a", "-c", "user.email=a@b"];
	writeFileSync(join(project, "file.txt"), "one");
	for (const args of [
		["init", "-q"],
		["add", "."],
		[...as, "commit", "-qm", "one"],
	])
		Bun.spawnSync(["git", ...args], { cwd: project });
	writeFileSync(join(project, "file.txt"), "two");
}

test("a subagent process has the role from a file and its allowed tools, and reports back", async () => {
	await using on = await openFixture(["json-subagent.ts"], {
		scenario: { steps: [callOf("delegate", { task: "look around" }), "All quiet.", "Thanks."] },
	});
	await say(on, "send the scout");
	expect(toolsOf(on.tau, 1).toSorted()).toEqual(["ls", "read"]);
	expect(bodyOf(on, 1)).toContain("You are the scout.");
	expect(bodyOf(on, 1)).toContain("Task: look around");
	expect(bodyOf(on, 2)).toContain("scout (0): All quiet.");
});

test("a subagent that is started as pi is found, also if pi is not installed", async () => {
	const looks = callOf("bash", { command: "echo host=[$TAU_EXTENSION_HOST]; command -v pi || echo no-pi" });
	await using on = await openFixture(["pi-by-name.ts"], {
		scenario: { steps: ["Second voice.", looks, "Done."] },
	});
	await on.rpc.ask({ type: "prompt", message: "/sub hello there" });
	const received = await on.rpc.until((frame) => JSON.stringify(frame).includes("sub ended"));
	expect(JSON.stringify(received)).toContain("sub ended with 0: Second voice.");
	await say(on, "look");
	// The model's own commands do not see it.
	expect(bodyOf(on, 2)).toContain("host=[]\\nno-pi");
});

test("an in-process agent has the session's models, its own prompt and tools, and leaves nothing behind", async () => {
	await using on = await openFixture(["inner-session.ts"], {
		scenario: {
			steps: [
				callOf("inner", { task: "read it" }),
				callOf("read", { path: "a.txt" }),
				"Inner answer.",
				"Outer answer.",
				"Still here.",
			],
		},
		prepare: (tau) => writeFileSync(join(tau.project, "a.txt"), "content\n"),
	});
	await say(on, "go");
	expect(bodyOf(on, 1)).toContain("You are inside.");
	expect(toolsOf(on.tau, 1).toSorted()).toEqual(["find", "grep", "ls", "read"]);
	expect(bodyOf(on, 3)).toContain("inner said Inner answer. after read (1 call)");
	await say(on, "and now");
	expect(bodyOf(on, 4)).not.toContain("You are inside.");
	expect(toolsOf(on.tau, 4)).toContain("inner");
});

test("tools of a server are added after the start, are called with its schema, and the server ends with Tau", async () => {
	await using on = await openFixture(["mcp-adapter.ts"], {
		scenario: {
			steps: [callOf("things_lookup", { key: "a" }), callOf("things_lookup", { deep: true }), "Done."],
		},
	});
	const status = await on.rpc.until(shows("setStatus", "MCP: 1 tools"));
	const pid = Number(/pid (\d+)/.exec(String(status.statusText))?.[1]);
	await say(on, "look it up");
	expect(toolsOf(on.tau, 0)).toContain("things_lookup");
	expect(bodyOf(on, 1)).toContain("looked up");
	expect(bodyOf(on, 2)).toMatch(/key/);
	on.rpc.end();
	await on.rpc.running.finished;
	expect(isRunning(pid)).toBe(false);
});

test("request watchers: sums in the footer, old results pruned, a warm cache, a journal of events", async () => {
	await using on = await openFixture(["usage-sum.ts", "context-pruner.ts", "cache-warmer.ts", "journal.ts"], {
		scenario: {
			steps: [
				callOf("bash", { command: "echo first-result" }),
				callOf("bash", { command: "echo second-result" }),
				"Done.",
				"Warm.",
			],
		},
		env: (tau) => ({ PI_JOURNAL_DIR: join(tau.home, "journal") }),
	});
	await say(on, "work");
	await on.rpc.until(shows("setStatus", "answers 3 in "));
	expect(bodyOf(on, 2)).not.toContain('text":"first-result');
	expect(bodyOf(on, 2)).toContain("[pruned]");
	expect(bodyOf(on, 2)).toContain('text":"second-result');
	await on.rpc.until(shows("setStatus", "warmed 200"));
	expect(on.tau.played.requests[3]?.body).toMatchObject({ max_tokens: 1 });
	const journal = join(on.tau.home, "journal");
	const [file = ""] = readdirSync(journal);
	const lines = readFileSync(join(journal, file), "utf8").trim().split("\n");
	expect(lines.map((line) => (JSON.parse(line) as { type: string }).type).join(" ")).toBe(
		"session_start agent_start turn_start message message tool message turn_end turn_start message tool message turn_end turn_start message turn_end agent_end",
	);
});

test("another model summarizes, presets are applied, and a new session starts with the summary", async () => {
	await using on = await openFixture(["other-model-compaction.ts", "model-presets.ts", "handoff-setup.ts"], {
		scenario: { steps: ["One.", "Two.", "Short: words.", "Carried prompt.", "Four."] },
	});
	for (const text of ["word ".repeat(30_000), "word ".repeat(30_000)]) await say(on, text);
	const { data } = await on.rpc.ask({ type: "compact" });
	expect(data).toMatchObject({ summary: "Short: words." });
	await on.rpc.until(shows("notify", "summary by another model"));
	expect(bodyOf(on, 2)).toContain("Sum this up.");
	await waitForNotice(on, "/preset look", "preset look: played-1");
	await waitForNotice(on, "/preset nope", "Unknown preset. Available: look");
	await on.rpc.ask({ type: "prompt", message: "/carry finish it" });
	await on.rpc.until(shows("notify", "carried "));
	expect(bodyOf(on, 3)).toContain("Goal: finish it");
	await say(on, "go");
	expect(bodyOf(on, 4)).toContain("Carried prompt.");
	expect(bodyOf(on, 4)).not.toContain("word word");
});

test("shells with a hook, in a sandbox, and without it if the flag says so", async () => {
	const steps = [callOf("bash", { command: "echo [$PRELUDE$PI_SPAWN_HOOK] $(basename $PWD)" }), "Done."];
	await using hooked = await openFixture(["spawn-hook.ts"], {
		scenario: { steps },
		prepare: (tau) => void mkdirSync(join(tau.project, "sub")),
	});
	await say(hooked, "go");
	expect(bodyOf(hooked, 1)).toContain("[yes1] sub");
	await using boxed = await openFixture(["sandbox.ts"], {
		scenario: { steps: [callOf("bash", { command: "echo box=$IN_BOX" }), "Done."] },
		prepare: (tau) =>
			void writeFileSync(join(tau.agentDir, "sandbox.json"), JSON.stringify({ who: "guests" })),
	});
	await boxed.rpc.until(shows("setStatus", "boxed for guests"));
	await say(boxed, "go");
	expect(bodyOf(boxed, 1)).toContain("box=1");
	expect(await boxed.rpc.ask({ type: "bash", command: "echo mine=$IN_BOX" })).toMatchObject({
		data: { output: expect.stringContaining("mine=1") },
	});
	const tau = await launch({ steps: [callOf("bash", { command: "echo box=[$IN_BOX]" }), "Done."] });
	await using _tau = tau;
	await tau.run(["-p", ...model, ...loading(folder, ["sandbox.ts"]), "--no-sandbox", "go"]);
	expect(tau.played.requests[1]?.rawBody).toContain("box=[]");
});

test("sessions are labeled, named after their first prompt, and state survives a reload", async () => {
	await using on = await openFixture(["label-marks.ts", "auto-name.ts", "reloaded-state.ts"], {
		scenario: { steps: ["One."] },
	});
	await on.rpc.until(shows("setStatus", "startup: 0"));
	await waitForNotice(on, "/label early", "nothing to label");
	await say(on, "mend the old roof");
	await on.rpc.until(shows("setTitle", "pi: mend the old"));
	expect((await on.rpc.ask({ type: "get_state" })).data).toMatchObject({ sessionName: "mend the old" });
	await waitForNotice(on, "/label good", "label good");
	await waitForNotice(on, "/labels", "labels: good");
	await waitForNotice(on, "/click", "clicks 1");
	await waitForNotice(on, "/click", "clicks 2");
	await on.rpc.ask({ type: "prompt", message: "/again" });
	await on.rpc.until(shows("setStatus", "reload: 2"));
	await waitForNotice(on, "/click", "clicks 3");
	const { data } = await on.rpc.ask({ type: "get_state" });
	const { sessionFile } = data as { sessionFile: string };
	expect(readFileSync(sessionFile, "utf8")).toContain('"customType":"left","data":{"reason":"reload"}');
});

test("class instances work as tools, programs have limits, and a package contains several extensions", async () => {
	await using on = await openFixture(["class-tool.ts", "exec-limits.ts"], {
		scenario: {
			steps: [
				callOf("greet_class", { who: "Ada" }),
				callOf("greet_class", { who: "Bob" }),
				"Done.",
				"Counted.",
			],
		},
		prepare: (tau) =>
			writeFileSync(
				join(tau.agentDir, "settings.json"),
				JSON.stringify({ packages: [join(folder, "bundle")] }),
			),
	});
	await say(on, "greet");
	expect(bodyOf(on, 1)).toContain("well met, Ada (1)");
	expect(bodyOf(on, 2)).toContain("well met, Bob (2)");
	await waitForNotice(on, "/limits", "limits out/err/3 slow:true stopped:true gone:true");
	await waitForNotice(on, "/bundle", "bundle first+second");
	await say(on, "/count sheep in the field");
	expect(bodyOf(on, 3)).toContain("Count sheep in in the field.");
	expect(bodyOf(on, 3)).toContain("How to count.");
});

test("-e loads a whole package: extensions by globs, skills and prompts", async () => {
	await using on = await openFixture(["bundle"], { scenario: { steps: ["Counted."] } });
	await waitForNotice(on, "/bundle", "bundle first+second");
	await say(on, "/count sheep in the field");
	expect(bodyOf(on, 0)).toContain("Count sheep in in the field.");
	expect(bodyOf(on, 0)).toContain("How to count.");
});

test("an extension compiled to CommonJS requires the packages that others import", async () => {
	await using on = await openFixture(["compiled.cjs"], {
		scenario: { steps: [callOf("reverse", { text: "abc" }), "Done."] },
	});
	await say(on, "go");
	expect(bodyOf(on, 1)).toContain("cba3");
	await waitForNotice(on, "/late", "late function 2.0KB");
});

needs("git")("uncommitted changes block a session change, and are committed at the end", async () => {
	await using on = await openFixture(["dirty-guard.ts", "commit-on-exit.ts"], {
		scenario: { steps: ["Wrote the file.\nAnd more."] },
		prepare: repository,
	});
	await say(on, "write");
	const before = (await on.rpc.ask({ type: "get_state" })).data as { sessionId: string };
	on.rpc.write({ type: "new_session", id: "new" });
	const frame = await on.rpc.until(({ method }) => method === "select");
	expect(frame.title).toBe("You have 1 uncommitted file(s). new session anyway?");
	on.rpc.write({ type: "extension_ui_response", id: frame.id, value: "No, let me commit first" });
	expect(await on.rpc.until(({ id }) => id === "new")).toMatchObject({ data: { cancelled: true } });
	expect((await on.rpc.ask({ type: "get_state" })).data).toMatchObject({ sessionId: before.sessionId });
	on.rpc.end();
	await on.rpc.running.finished;
	const log = Bun.spawnSync(["git", "log", "--format=%s"], { cwd: on.tau.project }).stdout.toString();
	expect(log).toBe("[pi] Wrote the file.\none\n");
});

test("prompts are expanded, answered without the model, looped, and steered", async () => {
	await using on = await openFixture(["inline-shell.ts", "loop-until-done.ts", "steer-after-test.ts"], {
		scenario: {
			steps: ["One.", "Working.", "COMPLETE", callOf("bash", { command: "exit 7" }), "Hm.", "Learned."],
		},
	});
	await waitForNotice(on, "?time is it", "time for tea");
	await say(on, "the sum is !{echo $((6*7))} and !{exit 4}");
	expect(bodyOf(on, 0)).toContain("the sum is 42 and [4]");
	await waitForNotice(on, "/loop do it", "loop over");
	expect(bodyOf(on, 2)).toContain("Iteration 2: go on.");
	await say(on, "test");
	expect(bodyOf(on, 4)).toContain("(the hook saw it)");
	expect(bodyOf(on, 4)).toContain("Look at the exit code first.");
	expect(bodyOf(on, 4)).not.toContain("write down");
	expect(bodyOf(on, 5)).toContain("Now write down what you learned.");
});

test("threads, forked processes and scripts beside an extension run", async () => {
	await using on = await openFixture(["worker-and-fork.ts"]);
	await waitForNotice(on, "/worker quiet", "worker QUIET");
	await waitForNotice(on, "/forked abc", "forked cba");
	await waitForNotice(on, "/script hey", "script 0 hey!");
});

test("every pattern is loaded by a test here", () => {
	const source = readFileSync(import.meta.path, "utf8");
	const names = readdirSync(folder).filter((name) => !/^(helper-|server\.sh)/.test(name));
	expect(names.filter((name) => !source.includes(`"${name}"`))).toEqual([]);
	expect(existsSync(join(folder, "server.sh"))).toBe(true);
});
