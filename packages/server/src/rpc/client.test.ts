/** A program that uses the client gets answers, events and clear errors, and leaves nothing running. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { fixedBoundary, launch, root, type Launched } from "../../../../test/support/launch.ts";
import { untilEnded } from "../../../../test/support/processes.ts";
import { connect } from "../../../../test/support/rpc.ts";
import type { RpcClientOptions } from "./child.ts";
import { RpcClient } from "./client.ts";
import { RpcError } from "./connection.ts";

function clientOf(tau: Launched, more: RpcClientOptions = {}): RpcClient {
	return new RpcClient({
		cliPath: join(root, "tau"),
		cwd: tau.project,
		env: { HOME: tau.home, ...fixedBoundary },
		provider: "played",
		model: "played-1",
		...more,
	});
}

async function withStreams(
	scenario: Scenario,
	use: (client: RpcClient) => Promise<void>,
	options: RpcClientOptions = {},
): Promise<void> {
	await using played = await playModel(scenario);
	await using rpc = await connect(played);
	await using client = new RpcClient({ streams: rpc, ...options });
	await client.start();
	await use(client);
}

describe("a client that starts the program", () => {
	test("sends prompts, receives events, queries state, and ends it", async () => {
		await using tau = await launch({ steps: ["Hello there.", "Two."] });
		const client = clientOf(tau, { args: ["--no-session"] });
		await client.start();
		const events = await client.promptAndWait("hi");
		expect(events.at(0)?.type).toBe("agent_start");
		expect(events.at(-1)).toMatchObject({ type: "agent_end" });
		expect(await client.getLastAssistantText()).toBe("Hello there.");
		expect(await client.bash("echo $0; exit 4")).toMatchObject({ exitCode: 4 });
		const collected = client.collectEvents();
		await client.prompt("again");
		expect((await collected).at(-1)?.type).toBe("agent_end");
		expect((await client.getMessages()).map(({ role }) => role)).toEqual([
			"user",
			"assistant",
			"bashExecution",
			"user",
			"assistant",
		]);
		expect((await client.getState()).sessionFile).toBeUndefined();
		await client.stop();
		await expect(client.getState()).rejects.toThrow("The client was stopped.");
	});

	test("ends running commands with it", async () => {
		await using tau = await launch({ steps: [] });
		let pid = 0;
		{
			await using client = clientOf(tau);
			await client.start();
			const running = client.bash("echo $$ > pid; touch ready; sleep 300").catch((error: unknown) => error);
			while (!(await Bun.file(join(tau.project, "ready")).exists())) await Bun.sleep(5);
			pid = Number(readFileSync(join(tau.project, "pid"), "utf8"));
			await client.stop();
			expect(await running).toBeInstanceOf(RpcError);
		}
		await untilEnded(pid);
	});

	test("gets the reason if it ended, with its error output", async () => {
		await using tau = await launch({ steps: [] });
		await using client = clientOf(tau, { model: "unknown-model" });
		await client.start();
		await expect(client.getState()).rejects.toThrow(/^tau exited \(code 2\): tau: Unknown model/);
		expect(client.getStderr()).toContain("Unknown model");
		await expect(client.collectEvents()).rejects.toThrow("The connection has ended.");
	});

	test("reports a missing program", async () => {
		await using client = new RpcClient({ cliPath: "/nowhere/tau" });
		await expect(client.start()).rejects.toThrow("/nowhere/tau");
	});
});

describe("a client on streams", () => {
	test("has a method for every command", async () => {
		using owned = new DisposableStack();
		const directory = mkdtempSync(join(tmpdir(), "tau-rpc-client-"));
		owned.defer(() => rmSync(directory, { recursive: true, force: true }));
		await withStreams({ steps: ["One."] }, async (client) => {
			await client.setSteeringMode("all");
			await client.setFollowUpMode("all");
			await client.setAutoRetry(false);
			await client.abortRetry();
			await client.abortBash();
			await client.setSessionName("work");
			await client.setThinkingLevel("high");
			expect(await client.cycleThinkingLevel()).toBeNull();
			expect(await client.cycleModel()).toBeNull();
			expect(await client.getCommands()).toEqual([]);
			expect(await client.getAvailableModels()).toMatchObject([{ id: "played-1" }]);
			expect(await client.setModel("played", "played-1")).toMatchObject({ id: "played-1" });
			await client.followUp("later");
			await client.newSession();
			await client.promptAndWait("hi");
			const [message] = await client.getForkMessages();
			expect(await client.clone()).toEqual({ cancelled: false });
			expect(await client.getSessionStats()).toMatchObject({ totalMessages: 2 });
			expect(await client.fork(message?.entryId ?? "")).toEqual({ text: "hi", cancelled: false });
			await expect(client.switchSession("/nowhere")).rejects.toThrow("No session found at /nowhere");
			await expect(client.compact()).rejects.toThrow("Nothing to compact");
			await client.setAutoCompaction(true);
			expect(await client.getState()).toMatchObject({ autoCompactionEnabled: true });
			const page = join(directory, "page.html");
			expect(await client.exportHtml(page)).toMatchObject({ path: page });
			expect(await Bun.file(page).text()).toStartWith("<!doctype html>");
			await expect(client.exportHtml(page)).rejects.toThrow("page.html");
		});
	});

	test("does not wait when idle, and waits for retries", async () => {
		await withStreams({ steps: ["One."] }, async (client) => {
			await client.waitForIdle(1);
			await client.promptAndWait("hi");
			await client.waitForIdle(1);
			expect(await client.getLastAssistantText()).toBe("One.");
		});
	});

	test("gets a rejection as an error that names the command, and is not busy", async () => {
		await withStreams({ steps: [] }, async (client) => {
			const refused = await client.prompt("").catch((error: unknown) => error);
			expect(refused).toMatchObject({
				name: "RpcError",
				command: "prompt",
				message: "The message is empty.",
			});
			await client.waitForIdle(1);
		});
	});

	test("ends a wait after its timeout", async () => {
		const steps: Scenario["steps"] = [{ fault: { silent: true } }];
		await withStreams({ steps }, async (client) => {
			await client.prompt("hi");
			await expect(client.waitForIdle(1)).rejects.toThrow("The agent did not finish within 1 ms.");
			await expect(client.collectEvents(1)).rejects.toThrow("The agent did not finish within 1 ms.");
			await client.abort();
		});
	});

	test("survives a failing listener, and does not call a removed one", async () => {
		await withStreams({ steps: ["One.", "Two."] }, async (client) => {
			let received = 0;
			client.onEvent(() => {
				throw new Error("the listener is on fire");
			});
			const stop = client.onEvent(() => received++);
			await client.promptAndWait("one");
			const before = received;
			stop();
			await client.promptAndWait("two");
			expect(before).toBeGreaterThan(5);
			expect(received).toBe(before);
		});
	});
});

/** Streams whose other end is controlled by the test. */
function script(...pieces: string[]): {
	output: ReadableStream<Uint8Array>;
	write(): void;
	send(piece: string): void;
	close(): void;
} {
	const pipe = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 100 });
	const writer = pipe.writable.getWriter();
	const send = (piece: string): void => void writer.write(new TextEncoder().encode(piece));
	pieces.forEach(send);
	return { output: pipe.readable, write: () => {}, send, close: () => void writer.close() };
}

describe("a misbehaving server", () => {
	test("is waited for no longer than the timeout", async () => {
		await using client = new RpcClient({ streams: script(), requestTimeoutMs: 1 });
		await client.start();
		await expect(client.getState()).rejects.toThrow("get_state was not answered within 1 ms.");
	});

	test("is waited for without a limit while a question to the user is open", async () => {
		const request = { kind: "trust", id: "q", openedAt: 1, project: "/p", runs: [] };
		const server = script(`${JSON.stringify({ type: "request_opened", request })}\n`);
		await using client = new RpcClient({ streams: server, requestTimeoutMs: 1 });
		const opened = Promise.withResolvers<void>();
		client.onEvent(({ type }) => type === "request_opened" && opened.resolve());
		await client.start();
		await opened.promise;
		const state = client.getState();
		const outcome = Promise.race([state.then(String, String), Bun.sleep(50).then(() => "still waiting")]);
		expect(await outcome).toBe("still waiting");
		server.send(`${JSON.stringify({ type: "request_closed", id: "q", answered: true })}\n`);
		await expect(state).rejects.toThrow("get_state was not answered within 1 ms.");
	});

	test("that sends invalid frames is disconnected", async () => {
		await using client = new RpcClient({ streams: script("Warning: hello\n") });
		await client.start();
		await expect(client.getState()).rejects.toThrow("Received an invalid frame");
	});

	test("that reports idle late does not complete a prompt that was sent meanwhile", async () => {
		const sent: { id: string; type: string }[] = [];
		const pipe = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 100 });
		const writer = pipe.writable.getWriter();
		const say = (frame: object): Promise<void> =>
			writer.write(new TextEncoder().encode(`${JSON.stringify(frame)}\n`));
		const answer = (command: string, data?: object): Promise<void> =>
			say({
				id: sent.findLast(({ type }) => type === command)?.id,
				type: "response",
				command,
				success: true,
				data,
			});
		const asked = Promise.withResolvers<void>();
		const write = (line: string): void => {
			sent.push(JSON.parse(line));
			if (sent.at(-1)?.type === "get_state") asked.resolve();
		};
		await using client = new RpcClient({ streams: { output: pipe.readable, write } });
		await client.start();
		const first = client.prompt("one");
		await answer("prompt", { disposition: "started" });
		await first;
		await say({ type: "agent_end", messages: [] });
		await asked.promise;
		const second = client.prompt("two");
		await answer("get_state", { isStreaming: false });
		await answer("prompt", { disposition: "started" });
		await second;
		await expect(client.waitForIdle(1)).rejects.toThrow("The agent did not finish within 1 ms.");
	});

	test("that answers an unknown request is ignored", async () => {
		const stray = `${JSON.stringify({ id: "x", type: "response", command: "abort", success: true })}\n`;
		const streams = script(stray, stray);
		await using client = new RpcClient({ streams });
		await client.start();
		const asked = client.getState();
		streams.close();
		await expect(asked).rejects.toThrow("The connection has ended.");
	});
});

test("using a client that is not started, or starting it twice, is an error", async () => {
	await using client = new RpcClient({ streams: script() });
	await expect(client.getState()).rejects.toThrow("call start() first");
	await client.start();
	await expect(client.start()).rejects.toThrow("already");
});

test("who listens from a response on misses no event that came with it", async () => {
	const sent = Promise.withResolvers<string>();
	async function* output(): AsyncGenerator<Uint8Array> {
		const id = await sent.promise;
		const frames = [
			{ type: "response", id, command: "get_session_stats", success: true, data: {} },
			{ type: "notice", level: "info", message: "behind it" },
		];
		yield new TextEncoder().encode(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
	}
	const write = (line: string): void => sent.resolve((JSON.parse(line) as { id: string }).id);
	await using client = new RpcClient({ streams: { output: output(), write } });
	await client.start();
	await client.getSessionStats();
	const event = Promise.withResolvers<string>();
	client.onEvent(({ type }) => event.resolve(type));
	expect(await event.promise).toBe("notice");
});
