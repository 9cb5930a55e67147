/** `tau -p`: a prompt goes all the way through the real program. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";

const withBash = {
	steps: [
		{
			answer: {
				blocks: [
					{ text: "Let me look.", chunks: 3 },
					{
						toolCall: {
							name: "bash",
							arguments: { command: "echo from-the-shell > made.txt; cat made.txt" },
						},
					},
				],
			},
		},
		{ answer: { blocks: [{ text: "It says **from-the-shell** 世界.", chunks: 5 }] } },
	],
};

const model = ["--model", "played/played-1"];

describe.each(["anthropic-messages", "openai-completions"] as const)("over %s", (api) => {
	test("the model's command runs and its answer is printed", async () => {
		await using tau = await launch(withBash, api);
		const { code, out, err } = await tau.run(["-p", "what is here?", ...model]);
		expect({ code, out, err }).toEqual({ code: 0, out: "It says **from-the-shell** 世界.\n", err: "" });
		expect(readFileSync(join(tau.project, "made.txt"), "utf8")).toBe("from-the-shell\n");
		expect(tau.played.requests[1]?.rawBody).toContain("from-the-shell");
	});

	test("a wrong key is one clear line and exit code 1", async () => {
		await using tau = await launch({ steps: [{ fault: { http: 401 } }] }, api);
		const { code, out, err } = await tau.run(["-p", "hi", ...model]);
		expect({ code, out }).toEqual({ code: 1, out: "" });
		expect(err).toMatch(/^tau: played\/played-1: HTTP 401: .+ \(check the key for played\)\n$/);
	});
});

test("a prompt without -p is answered as well", async () => {
	await using tau = await launch({ steps: ["Fine."] });
	expect(await tau.run(["how are you?", ...model])).toEqual({ code: 0, out: "Fine.\n", err: "" });
	expect(tau.played.requests[0]?.rawBody).toContain("how are you?");
});

test("without -p bare words are one prompt", async () => {
	await using tau = await launch({ steps: ["Fixed."] });
	expect(await tau.run(["fix", "the", "tests", ...model])).toMatchObject({ code: 0, out: "Fixed.\n" });
	expect(tau.played.requests).toHaveLength(1);
	expect(tau.played.requests[0]?.rawBody).toContain("fix the tests");
});

test("several prompts are turns of one conversation, and each is answered", async () => {
	await using tau = await launch({ steps: ["First.", "Second."] });
	const { code, out } = await tau.run(["-p", "do this", "then that", ...model]);
	expect({ code, out }).toEqual({ code: 0, out: "First.\nSecond.\n" });
	expect(tau.played.requests[1]?.rawBody).toMatch(/do this.*First\..*then that/);
});

test("--mode json prints one event per line, from the session header to agent_end", async () => {
	await using tau = await launch(withBash);
	const { code, out } = await tau.run(["-p", "--mode", "json", "look", ...model]);
	expect(code).toBe(0);
	const events = out
		.trimEnd()
		.split("\n")
		.map((line): { type: string } => JSON.parse(line));
	expect(events[0]).toMatchObject({ type: "session", version: 3 });
	const order = events.map(({ type }) => type).filter((type) => type !== "message_update");
	expect(order.slice(1)).toEqual([
		"agent_start",
		"turn_start",
		"message_start",
		"message_end",
		"message_start",
		"message_end",
		"tool_execution_start",
		...order.filter((type) => type === "tool_execution_update"),
		"tool_execution_end",
		"message_start",
		"message_end",
		"turn_end",
		"turn_start",
		"message_start",
		"message_end",
		"turn_end",
		"agent_end",
	]);
});

test("the conversation is stored as a tree on disk, and --no-session stores nothing", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	await tau.run(["-p", "--no-session", "hi", ...model]);
	const sessions = join(tau.agentDir, "sessions");
	expect(() => readdirSync(sessions)).toThrow();
	await tau.run(["-p", "hi", ...model]);
	const [project = ""] = readdirSync(sessions);
	const [file = ""] = readdirSync(join(sessions, project));
	const lines = readFileSync(join(sessions, project, file), "utf8")
		.trimEnd()
		.split("\n");
	const [header, prompt, answer] = lines.map((line) => JSON.parse(line));
	expect(header).toMatchObject({ type: "session", version: 3, cwd: tau.project });
	expect(prompt).toMatchObject({ type: "message", parentId: null, message: { role: "user", content: "hi" } });
	expect(answer).toMatchObject({ type: "message", parentId: prompt.id, message: { role: "assistant" } });
});

test("piped input comes before the arguments, and is a prompt by itself", async () => {
	await using tau = await launch({ steps: ["ok", "ok"] });
	await tau.run(["-p", "review this", ...model], { stdin: "diff --git a b\n" });
	expect(tau.played.requests[0]?.rawBody).toMatch(/diff --git a b.*review this/);
	expect(await tau.run([...model], { stdin: "just this" })).toMatchObject({ code: 0, out: "ok\n" });
	expect(tau.played.requests[1]?.rawBody).toContain("just this");
});

test("@file attaches a file; an image is sent as an image", async () => {
	await using tau = await launch({ steps: ["seen"] });
	writeFileSync(join(tau.project, "notes.txt"), "remember the milk");
	await tau.run(["-p", "@notes.txt", "what is it?", ...model]);
	const body = tau.played.requests[0]?.rawBody ?? "";
	expect(body).toContain("notes.txt");
	expect(body).toContain("remember the milk");
});

test("control sequences of a model do not reach the output", async () => {
	await using tau = await launch({
		steps: [{ answer: { blocks: [{ text: "a\u001b[31mb\u001b]52;c;ZXZpbA==\u0007c", chunks: 9 }] } }],
	});
	expect((await tau.run(["-p", "hi", ...model])).out).toBe("abc\n");
});

test("a reader that leaves early is no error", async () => {
	const text = "line\n".repeat(50_000);
	await using tau = await launch({ steps: [{ answer: { blocks: [{ text, chunks: 500 }] } }] });
	const child = Bun.spawn(
		["bash", "-c", `"$0" -p hi ${model.join(" ")} | head -n 1`, join(import.meta.dir, "../../tau")],
		{
			cwd: tau.project,
			env: { PATH: process.env.PATH ?? "", HOME: tau.home },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		},
	);
	const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	expect({ out, err }).toEqual({ out: "line\n", err: "" });
});

test("a temporary error of the provider is retried, and only the answer is printed", async () => {
	const torn: Step = { answer: { blocks: [{ text: "half", chunks: 2 }] }, fault: { truncated: true } };
	await using tau = await launch({ steps: [{ fault: { http: 529 } }, torn, "Whole."] });
	writeFileSync(join(tau.agentDir, "config.yml"), "retry:\n  baseDelayMs: 1\n");
	expect(await tau.run(["-p", "hi", ...model])).toEqual({ code: 0, out: "Whole.\n", err: "" });
	expect(tau.played.requests.length).toBe(3);
});

test("a budget ends a run that would continue, and says so", async () => {
	const blocks = [{ toolCall: { name: "read", arguments: { path: "." } } }];
	const busy: Step = { answer: { blocks }, times: "always" };
	await using tau = await launch({ steps: [busy] });
	const { code, err } = await tau.run(["-p", "go", "--max-turns", "2", ...model]);
	expect({ code, err }).toEqual({ code: 1, err: "tau: The budget of 2 turns is used up.\n" });
	expect(tau.played.requests.length).toBe(2);
});

test("--max-time ends a run whose server only keeps the connection open, with its own exit code", async () => {
	await using tau = await launch({ steps: [{ fault: { silent: true } }] });
	const { code, err } = await tau.run(["-p", "go", "--max-time", "500ms", ...model]);
	expect(err).toContain("The time limit of 0.5 s is used up.");
	expect(code).toBe(124);
	const wrong = await tau.run(["-p", "go", "--max-time", "soon", ...model]);
	expect(wrong.err).toContain('--max-time needs a duration such as 90s, 10m or 1h, not "soon".');
	expect(wrong.code).toBe(2);
});

test("a call that keeps succeeding in the same way ends the run, well below 50 requests", async () => {
	const again = {
		answer: { blocks: [{ toolCall: { name: "ls", arguments: {} } }] },
		times: "always" as const,
	};
	await using tau = await launch({ steps: [again] });
	const { code, err } = await tau.run(["-p", "go", ...model]);
	expect(err).toContain("stuck in a loop");
	expect(code).toBe(1);
	expect(tau.played.requests.length).toBeLessThan(20);
});

test("an empty answer is a failure, not exit code 0", async () => {
	const empty = { answer: { blocks: [] }, times: "always" as const };
	await using tau = await launch({ steps: [empty] });
	const { code, out, err } = await tau.run(["-p", "go", ...model]);
	expect(err).toContain("The model's answer is empty");
	expect({ code, out }).toEqual({ code: 1, out: "" });
	expect(tau.played.requests).toHaveLength(3);
});

test("-c continues the last session, --session a named one, --fork a copy", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three.", "Four."] });
	await tau.run(["-p", "first", ...model]);
	expect(await tau.run(["-p", "-c", "second"])).toMatchObject({ code: 0, out: "Two.\n" });
	expect(tau.played.requests[1]?.rawBody).toMatch(/first.*One\..*second/);
	const folder = join(tau.agentDir, "sessions", readdirSync(join(tau.agentDir, "sessions"))[0] ?? "");
	const files = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
	const [only = ""] = files();
	expect(files()).toEqual([only]);
	const id = only.slice(only.indexOf("_") + 1, -".jsonl".length);
	await tau.run(["-p", "--fork", id, "third", ...model]);
	expect(tau.played.requests[2]?.rawBody).toMatch(/first.*Two\..*third/);
	expect(files().length).toBe(2);
	await tau.run(["-p", "--session", join(folder, only), "fourth", ...model]);
	expect(tau.played.requests[3]?.rawBody).toMatch(/Two\..*fourth/);
	expect(tau.played.requests[3]?.rawBody).not.toContain("third");
	const { code, err } = await tau.run(["-p", "--session", "zzz", "hi", ...model]);
	expect({ code, err }).toEqual({
		code: 2,
		err: 'tau: Session "zzz" not found. Give a file path or an id prefix.\n',
	});
});
