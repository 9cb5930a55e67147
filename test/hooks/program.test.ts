/** Hooks and custom tools in the real, compiled program: found in their directories, trusted first, run in every mode. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { writeTestFile } from "../support/files.ts";
import { openTau } from "../interactive/driver.ts";
import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { launch, root, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const model = ["--model", "played/played-1"];

function writeFixture(tau: Launched, path: string, content: string | Record<string, unknown>): string {
	const text = typeof content === "string" ? content : JSON.stringify(content);
	return writeTestFile(join(tau.home, "..", path), text);
}

const call = (name: string, args: Record<string, unknown>): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const hook = (event: string, command: string, matcher = ""): Record<string, unknown> => ({
	hooks: { [event]: [{ matcher, hooks: [{ type: "command", command }] }] },
});
const says = (answer: object): string => `cat <<'END'\n${JSON.stringify(answer)}\nEND`;
const guard = hook(
	"PreToolUse",
	"grep -q 'rm -rf' && { echo 'no rm -rf here' >&2; exit 2; } || exit 0",
	"Bash",
);

describe("hooks of Claude Code's settings", () => {
	test("block calls in print mode", async () => {
		await using tau = await launch({
			steps: [call("bash", { command: "rm -rf x; touch ran" }), "Understood."],
		});
		writeFixture(tau, "home/.claude/settings.json", guard);
		const { code, out, err } = await tau.run(["-p", ...model, "clean up"]);
		expect({ code, out, err }).toEqual({ code: 0, out: "Understood.\n", err: "" });
		expect(tau.played.requests[1]?.rawBody).toContain("no rm -rf here");
		expect(existsSync(join(tau.project, "ran"))).toBe(false);
	});

	needs("bwrap", "nsenter")(
		"stay in the sandbox with tau sandbox, and deny with their exit code",
		async () => {
			await using tau = await launch({ steps: [call("bash", { command: "touch ran" }), "Understood."] });
			const written = join(tau.home, "planted");
			writeFixture(
				tau,
				"project/node_modules/.bin/check",
				`#!/bin/sh\ngrep touch; touch inside ${written}; exit 2\n`,
			);
			chmodSync(join(tau.project, "node_modules/.bin/check"), 0o755);
			const contained = `${join(root, "tau")} sandbox -- ./node_modules/.bin/check >&2`;
			writeFixture(tau, "home/.claude/settings.json", hook("PreToolUse", contained, "Bash"));
			expect(await tau.run(["-p", ...model, "--trust", "go"])).toMatchObject({
				code: 0,
				out: "Understood.\n",
			});
			expect(tau.played.requests[1]?.rawBody).toContain("touch ran");
			expect(existsSync(join(tau.project, "ran"))).toBe(false);
			expect(existsSync(join(tau.project, "inside"))).toBe(true);
			expect(existsSync(written)).toBe(false);
		},
	);

	test("tell an agent something at its start, and make it continue at its end", async () => {
		const start = says({ hookSpecificOutput: { additionalContext: "the branch is frozen" } });
		const stop =
			'cat > "$CLAUDE_PROJECT_DIR/stop.json"; [ -e once ] && exit 0; touch once; echo "run the tests" >&2; exit 2';
		const steps = [
			call("task", { tasks: [{ assignment: "look around", name: "Scout", agent: "explore" }] }),
			"Looked.",
			"Tests pass.",
			"Done.",
		];
		await using tau = await launch({ steps });
		const commands = { SubagentStart: start, SubagentStop: stop };
		const hooks = Object.entries(commands).map(([event, command]) => [
			event,
			[{ matcher: "explore", hooks: [{ type: "command", command }] }],
		]);
		writeFixture(tau, "home/.claude/settings.json", { hooks: Object.fromEntries(hooks) });
		const { code, out } = await tau.run(["-p", ...model, "go"]);
		expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
		const bodies = tau.played.requests.map(({ rawBody }) => rawBody);
		expect(bodies[1]).toContain("the branch is frozen");
		expect(bodies[2]).toContain("[SubagentStop hook] run the tests");
		expect(bodies[3]).toContain("Tests pass.");
		expect(JSON.parse(readFileSync(join(tau.project, "stop.json"), "utf8"))).toMatchObject({
			hook_event_name: "SubagentStop",
			agent_id: "Scout",
			agent_type: "explore",
			stop_hook_active: true,
			last_assistant_message: "Tests pass.",
		});
	});

	test("deny a prompt in print mode: the exit code is 1, and standard error has the reason once", async () => {
		await using tau = await launch({ steps: [] });
		writeFixture(
			tau,
			"home/.claude/settings.json",
			hook("UserPromptSubmit", "echo 'not this one' >&2; exit 2"),
		);
		const reason = "A hook blocked the prompt: not this one";
		const text = await tau.run(["-p", ...model, "hello", "and then?"]);
		expect(text).toEqual({ code: 1, out: "", err: `tau: ${reason}\n` });
		const json = await tau.run(["-p", "--mode", "json", ...model, "hello"]);
		expect({ code: json.code, err: json.err }).toEqual({ code: 1, err: `tau: ${reason}\n` });
		expect(json.out).toContain(JSON.stringify({ type: "notice", level: "warning", message: reason }));
		expect(tau.played.requests).toEqual([]);
	});

	test("of a project run only if it is trusted, and skipping them is reported", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		writeFixture(
			tau,
			"project/.claude/settings.json",
			hook("UserPromptSubmit", 'echo "we use tabs"; touch "$CLAUDE_PROJECT_DIR/ran"'),
		);
		const stranger = await tau.run(["-p", ...model, "hello"]);
		expect(stranger.err).toContain(
			"settings.json) of this project did not run, because the project is not trusted",
		);
		expect(existsSync(join(tau.project, "ran"))).toBe(false);
		const trusted = await tau.run(["-p", "--trust", ...model, "hello"]);
		expect({ out: trusted.out, err: trusted.err }).toEqual({ out: "Two.\n", err: "" });
		expect(tau.played.requests[1]?.rawBody).toContain("we use tabs");
		expect(existsSync(join(tau.project, "ran"))).toBe(true);
	});

	test("of a project do not run when they or their scripts have changed since it was trusted", async () => {
		await using tau = await launch({ steps: [], fallback: "Ok." });
		writeFixture(tau, "project/.tau/hooks.json", hook("UserPromptSubmit", "sh scripts/check.sh"));
		writeFixture(tau, "project/scripts/check.sh", "echo one");
		writeFixture(tau, "home/.tau/agent/trust.json", JSON.stringify({ projects: { [tau.project]: true } }));
		const bodyOf = async (): Promise<{ body: string; err: string }> => {
			const { err } = await tau.run(["-p", "--no-session", ...model, "hello"]);
			return { body: tau.played.requests.at(-1)?.rawBody ?? "", err };
		};
		expect(await bodyOf()).toEqual({ body: expect.stringContaining("one"), err: "" });
		writeFixture(tau, "project/scripts/check.sh", "echo evil");
		const changed = await bodyOf();
		expect(changed.err).toContain("changed since you trusted it: scripts/check.sh (changed)");
		expect(changed.body).not.toContain("evil");
		writeFixture(tau, "project/scripts/check.sh", "echo one");
		writeFixture(tau, "project/.tau/hooks.json", hook("UserPromptSubmit", "echo evil"));
		const other = await bodyOf();
		expect(other.err).toContain(".tau/hooks.json (changed)");
		expect(other.body).not.toContain("evil");
	});

	test("run for the whole session in RPC mode, and for the next one too", async () => {
		await using tau = await launch({ steps: ["Hello."] });
		const hooks = [{ hooks: [{ command: 'cat >> "$HOME/heard"' }] }];
		const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
		writeFixture(tau, "home/.tau/agent/hooks.json", {
			hooks: Object.fromEntries(events.map((event) => [event, hooks])),
		});
		await using rpc = startRpc(tau);
		await rpc.ask({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("agent_end"));
		await rpc.ask({ type: "new_session" });
		rpc.end();
		await rpc.running.finished;
		const lines = readFileSync(join(tau.home, "heard"), "utf8").trim().split("\n");
		const received = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
		const shown = received.map(({ hook_event_name: name, source, reason }) =>
			[name, source ?? reason].filter(Boolean).join(" "),
		);
		expect(shown.toSorted()).toEqual(
			[
				"SessionStart startup",
				"UserPromptSubmit",
				"Stop",
				"SessionEnd clear",
				"SessionStart clear",
				"SessionEnd other",
			].toSorted(),
		);
	});

	test("in Tau's own settings are combined with the others, and tau doctor lists them all", async () => {
		await using tau = await launch({ steps: [] });
		writeFixture(
			tau,
			"home/.tau/agent/config.yml",
			"hooks:\n  Stop:\n    - hooks:\n        - command: echo mine\n",
		);
		writeFixture(tau, "home/.claude/settings.json", guard);
		writeFixture(
			tau,
			"project/.claude/settings.local.json",
			'{ "hooks": { "Nope": [], "Stop": [{ "hooks": [{ "command": "theirs" }] }] } }',
		);
		writeFixture(tau, "home/.tau/agent/tools/count.ts", "export default () => [];");
		const { out } = await tau.run(["doctor"]);
		expect(out).toContain("Hooks (2)");
		expect(out).toContain("echo mine");
		expect(out).toContain("PreToolUse Bash");
		expect(out).toContain('unknown event "Nope"');
		expect(out).toMatch(/Stop .*disabled: the project is not trusted.* theirs/);
		expect(out).toContain("Custom tools (1)");
	});
});

test('a hook\'s "ask" is answered by the user in the terminal', async () => {
	const steps = [call("bash", { command: "touch ran" }), "Done."];
	const home = await launch({ steps });
	await using _home = home;
	const answer = {
		hookSpecificOutput: {
			hookEventName: "PreToolUse",
			permissionDecision: "ask",
			permissionDecisionReason: "it writes",
		},
	};
	writeFixture(
		home,
		"home/.claude/settings.json",
		hook("PreToolUse", `echo '${JSON.stringify(answer)}'`, "Bash"),
	);
	await using tau = await openTau({ steps }, { home });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("a hook asks about bash: it writes");
	tau.press("ctrlX");
	await tau.until("to decline");
	tau.press("enter");
	await tau.until("Done.");
	expect(existsSync(join(home.project, "ran"))).toBe(true);
});

test("a project's hooks and tools are confirmed in one question, and run after a yes", async () => {
	const steps = ["Hello."];
	const home = await launch({ steps });
	await using _home = home;
	writeFixture(home, "project/.claude/settings.json", hook("UserPromptSubmit", "echo we use tabs"));
	writeFixture(home, "project/.tau/tools/mine.ts", "export default () => [];");
	await using tau = await openTau({ steps }, { home });
	await tau.until("Trust this project's code");
	await tau.until("contains 2 files that would run code");
	tau.press("down", "enter");
	await tau.until("played-1");
	tau.type("hi\r");
	await tau.until("Hello.");
	expect(home.played.requests[0]?.rawBody).toContain("we use tabs");
});

/** The code blocks of the page with this name in their first line. */
function example(name: string): string {
	const page = readFileSync(join(root, "docs/custom-tools.md"), "utf8");
	const blocks = Array.from(page.matchAll(/^```\w+\n(.*?)^```$/gms), ([, block = ""]) => block);
	const found = blocks.find((block) =>
		block
			.split("\n")
			.slice(0, 3)
			.some((line) => line.includes(name)),
	);
	if (found === undefined) throw new Error(`docs/custom-tools.md has no example ${name}`);
	return found;
}

describe("the examples of docs/custom-tools.md", () => {
	async function run(file: string, name: string, args: Record<string, unknown>): Promise<string> {
		await using tau = await launch({ steps: [call(name, args), "Done."] });
		const path = writeFixture(tau, `home/.tau/agent/tools/${file}`, example(file));
		chmodSync(path, 0o755);
		writeFileSync(join(tau.project, "a.txt"), `${"word ".repeat(4711)}\nend\n`);
		const { code, err } = await tau.run(["-p", ...model, "go"]);
		expect({ code, err }).toEqual({ code: 0, err: "" });
		const [, second] = tau.played.requests;
		return second?.rawBody ?? "";
	}

	test("in shell", async () => {
		expect(await run("words.sh", "words", { file: "a.txt" })).toContain("4712");
	});

	needs("python3")("in Python", async () => {
		expect(
			await run("table.py", "table", {
				rows: [
					["a", 1],
					["b", 22],
				],
			}),
		).toContain("b  22");
	});

	test("in TypeScript", async () => {
		expect(await run("lines.ts", "lines", { file: "a.txt" })).toContain("2 lines");
	});
});
