/** Clients that are broken, hostile or gone: they get errors, and nothing of theirs outlives them. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

import { launch, tauProgram, type Launched } from "../support/launch.ts";
import { asking, call, model, openEditor } from "./editor.ts";

interface Frame {
	id?: unknown;
	method?: string;
	result?: Record<string, unknown>;
	error?: { code: number };
	params?: Record<string, unknown>;
}

/** A client that writes whatever it likes. */
function startRaw(tau: Launched, args: readonly string[] = model, env: Record<string, string> = {}) {
	const running = tau.start(["acp", ...args], { stdin: "pipe", env });
	const { stdin } = running.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	const frames = (): Frame[] =>
		running
			.output()
			.out.split("\n")
			.slice(0, -1)
			.map((line) => JSON.parse(line) as Frame);
	return {
		running,
		async write(what: string | object) {
			stdin.write(typeof what === "string" ? what : `${JSON.stringify({ jsonrpc: "2.0", ...what })}\n`);
			await stdin.flush();
		},
		async until(holds: (frame: Frame) => boolean): Promise<Frame> {
			await running.until(() => frames().some(holds));
			return frames().find(holds) as Frame;
		},
		async end(): Promise<number> {
			await stdin.end();
			return (await running.finished).code;
		},
	};
}

const hello = { id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };

function isAnswer(id: unknown): (frame: Frame) => boolean {
	return (frame) => frame.id === id && ("result" in frame || "error" in frame);
}

async function openSession(raw: ReturnType<typeof startRaw>, tau: Launched): Promise<unknown> {
	await raw.write(hello);
	await raw.until(isAnswer(0));
	await raw.write({ id: 1, method: "session/new", params: { cwd: tau.project, mcpServers: [] } });
	return (await raw.until(isAnswer(1))).result?.sessionId;
}

test("bad JSON, half a line, batches, wrong ids, answers to nothing and twice cost only themselves", async () => {
	await using tau = await launch({ steps: ["Still here."] });
	const raw = startRaw(tau);
	const sessionId = await openSession(raw, tau);
	await raw.write("{ not json\n");
	await raw.write("[1, 2]\n");
	await raw.write('"text"\n\n   \n');
	await raw.write(`${"[".repeat(5000)}\n`);
	await raw.write({ id: 999, result: { outcome: { outcome: "selected", optionId: "once" } } });
	await raw.write({ id: 999, result: {} });
	await raw.write({ id: { odd: true }, method: "session/list", params: {} });
	await raw.write({ method: "session/cancel", params: { sessionId: "nobody" } });
	await raw.write({ method: "session/cancel", params: 7 });
	await raw.write({ method: "$/cancel_request", params: { requestId: 12_345 } });
	const half = JSON.stringify({
		jsonrpc: "2.0",
		id: 2,
		method: "session/prompt",
		params: { sessionId, prompt: [{ type: "text", text: "hé" }] },
	});
	await raw.write(half.slice(0, 40));
	await raw.write(`${half.slice(40)}\r\n`);
	expect((await raw.until(isAnswer(2))).result).toMatchObject({ stopReason: "end_turn" });
	const refused = raw.running
		.output()
		.out.split("\n")
		.filter((line) => line.includes('"id":null'));
	expect(refused.length).toBeGreaterThanOrEqual(4);
	expect(await raw.end()).toBe(0);
});

test("a line of 100 MB is refused without being kept, and the next one is answered", async () => {
	await using tau = await launch({ steps: [] });
	const raw = startRaw(tau);
	await raw.write(hello);
	await raw.until(isAnswer(0));
	const part = "x".repeat(1024 * 1024);
	for (let count = 0; count < 100; count++) await raw.write(part);
	await raw.write("\n");
	await raw.write({ id: 1, method: "session/list", params: {} });
	expect((await raw.until(isAnswer(1))).result).toEqual({ sessions: [] });
	expect((await raw.until(isAnswer(null))).error?.code).toBe(-32600);
	const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${raw.running.process.pid}/status`, "utf8"))?.[1];
	expect(Number(peak)).toBeLessThan(400 * 1024);
	expect(await raw.end()).toBe(0);
});

/** The processes that work in a directory. */
function processesIn(directory: string): string[] {
	return readdirSync("/proc").filter((pid) => {
		if (!/^\d+$/.test(pid)) return false;
		try {
			return readFileSync(`/proc/${pid}/environ`, "utf8").includes(directory);
		} catch {
			// It has ended meanwhile, or is another user's.
			return false;
		}
	});
}

async function goneFrom(directory: string): Promise<void> {
	while (processesIn(directory).length > 0) await Bun.sleep(10);
}

const states: [string, (raw: ReturnType<typeof startRaw>, tau: Launched) => Promise<unknown>][] = [
	["at once", async () => {}],
	["after initialize", (raw) => raw.write(hello).then(() => raw.until(isAnswer(0)))],
	[
		"while a session opens",
		async (raw, tau) => {
			await raw.write(hello);
			await raw.until(isAnswer(0));
			await raw.write({ id: 1, method: "session/new", params: { cwd: tau.project, mcpServers: [] } });
		},
	],
	["with an idle session", openSession],
	[
		"while an answer streams",
		async (raw, tau) => {
			const sessionId = await openSession(raw, tau);
			tau.played.setScenario({
				steps: [{ answer: { blocks: [{ text: "word ".repeat(2000), chunks: 2000 }], delayMs: 20 } }],
			});
			await raw.write({
				id: 2,
				method: "session/prompt",
				params: { sessionId, prompt: [{ type: "text", text: "go" }] },
			});
			await raw.until(({ params }) => JSON.stringify(params ?? {}).includes("agent_message_chunk"));
		},
	],
	[
		"while a command runs",
		async (raw, tau) => {
			const sessionId = await openSession(raw, tau);
			await raw.write({
				id: 2,
				method: "session/prompt",
				params: { sessionId, prompt: [{ type: "text", text: "go" }] },
			});
			await raw.until(({ params }) => JSON.stringify(params ?? {}).includes('"in_progress"'));
		},
	],
];

test.each(states)("a client that leaves %s takes everything with it", async (_, reach) => {
	await using tau = await launch({ steps: [call("bash", { command: "sleep 300 & sleep 300" })] });
	const raw = startRaw(tau);
	await reach(raw, tau);
	expect(await raw.end()).toBe(0);
	await goneFrom(tau.home);
});

test.each(["leaves", "ends Tau"])("a client that %s while the user is asked has said no", async (how) => {
	await using tau = await launch({ steps: [call("bash", { command: "node -e 1 && touch made" })] });
	const raw = startRaw(tau, asking.args, asking.env);
	const sessionId = await openSession(raw, tau);
	await raw.write({
		id: 2,
		method: "session/prompt",
		params: { sessionId, prompt: [{ type: "text", text: "go" }] },
	});
	await raw.until(({ method }) => method === "session/request_permission");
	if (how === "leaves") await raw.end();
	else raw.running.process.kill("SIGTERM");
	await raw.running.finished;
	await goneFrom(tau.home);
	expect(readdirSync(tau.project)).toEqual([]);
});

test("permissions that are never answered keep nothing from ending", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "node -e 1" })] });
	await using editor = await openEditor(tau, asking);
	const id = await editor.newSession();
	const prompt = editor.prompt(id, "go").catch(() => "over");
	await editor.until((update) => update.sessionUpdate === "tool_call_update");
	expect(await editor.leave()).toBe(0);
	await prompt;
});

test("started by hand in a terminal it says what it is for, and Ctrl+D ends it", async () => {
	await using tau = await launch({ steps: [] });
	let shown = "";
	const said = Promise.withResolvers<void>();
	const running = Bun.spawn([tauProgram, "acp"], {
		cwd: tau.project,
		env: tau.env,
		terminal: {
			data(_, chunk) {
				shown += new TextDecoder().decode(chunk);
				if (shown.includes("Ctrl+D")) said.resolve();
			},
		},
	});
	await Promise.race([said.promise, running.exited]);
	expect(shown.replaceAll(/\s+/g, " ")).toContain("tau acp is for editors");
	running.terminal?.write("\u0004");
	expect(await running.exited).toBe(0);
	running.terminal?.close();
});

test("its help says what it is for, and words behind it are refused", async () => {
	await using tau = await launch({ steps: [] });
	const { out, code } = await tau.run(["acp", "--help"]);
	expect(code).toBe(0);
	expect(out).toContain("Agent Client Protocol");
	expect((await tau.run(["acp", "some words"])).code).toBe(2);
	expect((await tau.run(["--mode", "acp", "words"])).err).toContain("takes no prompt");
});
