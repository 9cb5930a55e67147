/** The examples of docs/sdk.md are run as a user would run them, with a played model behind them. */
// takes 22 s
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "bun:test";

import type { Scenario } from "@tau/ai/testing";

import { launch, root, type Launched } from "../support/launch.ts";

const folder = join(root, "packages/coding-agent/examples/sdk");
let built = "";
/** Each start would compile the sources of all packages: 0.6 s of CPU instead of 0.2. */
beforeAll(async () => {
	built = realpathSync(mkdtempSync(join(tmpdir(), "tau-examples-")));
	await Bun.build({
		entrypoints: readdirSync(folder).map((name) => join(folder, name)),
		target: "bun",
		splitting: true,
		outdir: built,
		// Data is opened by its path, wherever the program runs.
		publicPath: `${built}/`,
	});
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
const example = (name: string): string => join(built, name.replace(/\.ts$/, ".js"));

async function openFixture(scenario: Scenario): Promise<Launched> {
	const tau = await launch(scenario);
	writeFileSync(join(tau.agentDir, "config.yml"), "modelRoles:\n  default: played/played-1\n");
	return tau;
}

async function runExample(tau: Launched, name: string): Promise<{ code: number; out: string; err: string }> {
	const child = Bun.spawn([process.execPath, example(name)], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home, LANG: "C.UTF-8" },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

interface RunningExample extends AsyncDisposable {
	type(line: string): void;
	/** Resolves when the output so far contains the text; rejects when the program has ended without it. */
	until(text: string): Promise<void>;
	/** Closes standard input, and resolves with the exit code. */
	end(): Promise<number>;
}

/** An example that is controlled over its standard input. Its shell needs the installed packages beside the sources. */
function startExample(tau: Launched, name: string): RunningExample {
	const child = Bun.spawn([process.execPath, join(folder, name)], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home, LANG: "C.UTF-8" },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	return {
		type(line) {
			child.stdin.write(`${line}\n`);
			child.stdin.flush();
		},
		async until(wanted) {
			while (!text.includes(wanted)) {
				const { done, value } = await output.read();
				if (done) throw new Error(`The example ended without ${JSON.stringify(wanted)}: ${text}`);
				text += value;
			}
			text = text.slice(text.indexOf(wanted) + wanted.length);
		},
		async end() {
			child.stdin.end();
			return await child.exited;
		},
		async [Symbol.asyncDispose]() {
			child.kill();
			await child.exited;
		},
	};
}

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** The stored sessions. */
function kept({ agentDir }: Launched): string[] {
	return readdirSync(agentDir, { recursive: true, encoding: "utf8" }).filter((path) =>
		path.endsWith(".jsonl"),
	);
}

test("01: one prompt is answered with the model of the settings, and nothing is stored", async () => {
	await using tau = await openFixture({ steps: ["Nothing yet."] });
	expect(await runExample(tau, "01-minimal.ts")).toEqual({ code: 0, out: "Nothing yet.\n", err: "" });
	expect(tau.played.requests[0]?.rawBody).toContain("What is in this project?");
	expect(kept(tau)).toEqual([]);
});

test("01: the failure of a model is printed, and the program ends", async () => {
	await using tau = await openFixture({ steps: [{ fault: { http: 401 } }] });
	const { code, out, err } = await runExample(tau, "01-minimal.ts");
	expect({ code, out }).toEqual({ code: 0, out: "" });
	expect(err).toMatch(/^HTTP 401: /);
});

test("02: text is printed as it streams, with the tools between", async () => {
	await using tau = await openFixture({
		steps: [
			call("bash", { command: "ls | wc -l" }),
			{ answer: { blocks: [{ text: "There are none.", chunks: 4 }] } },
		],
	});
	const { code, out, err } = await runExample(tau, "02-streaming-events.ts");
	expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(out).toBe('\n[bash {"command":"ls | wc -l"}]\n[done]\nThere are none.\n');
});

test("03: the model calls a tool of the program, and has no other", async () => {
	await using tau = await openFixture({
		steps: [call("count_stock", { article: "bolt" }), "You have 120 bolts."],
	});
	const { code, out, err } = await runExample(tau, "03-custom-tool.ts");
	expect({ code, out, err }).toEqual({
		code: 0,
		out: "toolResult: 120\nassistant: You have 120 bolts.\n",
		err: "",
	});
	const { body } = tau.played.requests[0] ?? {};
	expect(body).toMatchObject({ tools: [{ name: "count_stock" }] });
	expect(tau.played.requests[0]?.rawBody).not.toContain('"bash"');
});

test("04: a conversation continues in memory, and from its file", async () => {
	await using tau = await openFixture({ steps: ["Hello Ada.", "Ada.", "Hello Grace.", "Grace."] });
	const { code, out, err } = await runExample(tau, "04-continue-session.ts");
	expect({ code, out, err }).toEqual({
		code: 0,
		out: "in memory: 4 messages\non disk: 4 messages\n",
		err: "",
	});
	expect(tau.played.requests[1]?.rawBody).toMatch(/My name is Ada.*Hello Ada.*What is my name/);
	expect(tau.played.requests[2]?.rawBody).not.toContain("Ada");
	expect(tau.played.requests[3]?.rawBody).toMatch(/My name is Grace.*Hello Grace.*What is my name/);
	expect(kept(tau)).toHaveLength(1);
});

test("05: a steering message is delivered after the tool, a follow-up when the model would stop", async () => {
	await using tau = await openFixture({
		steps: [call("bash", { command: "ls" }), "No TypeScript here.", "Nothing."],
	});
	const { code, out, err } = await runExample(tau, "05-steer-and-follow-up.ts");
	expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(out.trimEnd().split("\n")).toEqual([
		"> List the files here.",
		"> Only look at TypeScript files.",
		"No TypeScript here.",
		"> Now say it in one word.",
		"Nothing.",
	]);
});

test("06: a custom client shows the session, runs commands, answers a question and starts a new session", async () => {
	const questions = [{ id: "size", question: "Which size?", options: [{ label: "M4" }, { label: "M6" }] }];
	await using tau = await openFixture({
		steps: [call("bash", { command: "pwd" }), call("ask", { questions }), "M6 it is.", "Hello."],
	});
	await using client = startExample(tau, "06-own-client.ts");
	client.type("!mkdir bolts && cd bolts && echo made");
	await client.until("made\n");
	client.type("Order bolts.");
	await client.until("? Which size? 1. M4, 2. M6\n");
	client.type("2");
	await client.until("M6 it is.\n(ready)\n");
	client.type("/new");
	client.type("Hi.");
	await client.until("Hello.\n(ready)\n");
	expect(await client.end()).toBe(0);
	const requests = tau.played.requests.map(({ rawBody }) => rawBody);
	expect(requests[1]).toContain(join(tau.project, "bolts"));
	expect(requests[2]).toContain("M6");
	expect(requests[3]).toContain("Hi.");
	expect(requests[3]).not.toContain("Order bolts.");
});

test("there is no example without a test here", () => {
	const numbers = readdirSync(folder).map((name) => name.slice(0, 2));
	expect(numbers.toSorted()).toEqual(["01", "02", "03", "04", "05", "06", "07"]);
});

test("07: a server sends the events of a run as they happen, continues a conversation, and stops with its client", async () => {
	const silent: Scenario["steps"][number] = {
		answer: { blocks: [{ text: "never ends", chunks: 2 }] },
		fault: { silent: true },
	};
	// The client may leave before the model was asked: then nothing has used the step before.
	const next = { when: { bodyContains: "and now?" }, answer: "Free again." };
	await using tau = await openFixture({ steps: ["Hello Ada.", "You are Ada.", silent, next] });
	const child = Bun.spawn([process.execPath, example("07-sse-server.ts")], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home, LANG: "C.UTF-8", TOKEN: "secret" },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	try {
		const [line = ""] = (
			await child.stdout
				.getReader()
				.read()
				.then(({ value }) => new TextDecoder().decode(value))
		).split("\n");
		const [origin = ""] = line.split(" ");
		const post = (prompt: string, sessionId: string, init: RequestInit = {}): Promise<Response> =>
			fetch(`${origin}/api/prompt`, {
				method: "POST",
				headers: { authorization: "Bearer secret", "content-type": "application/json" },
				body: JSON.stringify({ prompt, sessionId }),
				...init,
			});
		expect((await post("hi", "a", { headers: {} })).status).toBe(401);
		const first = await post("I am Ada.", "a");
		expect(first.headers.get("content-type")).toBe("text/event-stream");
		const events = (await first.text())
			.trimEnd()
			.split("\n\n")
			.map((text) => JSON.parse(text.slice("data: ".length)));
		expect(events.at(0)).toMatchObject({ type: expect.any(String) });
		expect(events.map(({ type }) => type)).toContain("agent_end");
		expect(JSON.stringify(events)).toContain("Hello Ada.");
		await (await post("Who am I?", "a")).text();
		expect(JSON.stringify(tau.played.requests.at(-1))).toContain("I am Ada.");
		const leaving = new AbortController();
		const endless = await post("go on", "b", { signal: leaving.signal });
		await endless.body?.getReader().read();
		leaving.abort();
		// The run has stopped: the session takes the next prompt.
		let last = await post("and now?", "b");
		for (let attempt = 0; last.status === 409 && attempt < 500; attempt++) last = await post("and now?", "b");
		expect(await last.text()).toContain("Free again.");
	} finally {
		child.kill();
		await child.exited;
	}
});
