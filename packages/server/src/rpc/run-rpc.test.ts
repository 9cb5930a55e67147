/** What a client can rely on, however it sends and however slowly it reads. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";

import { playModel, type Scenario } from "@tau/ai/testing";
import type { Behavior } from "@tau/session";
import { builtinTools } from "@tau/integrations/builtin";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { connect } from "../../../../test/support/rpc.ts";
import { RpcClient } from "./client.ts";
import { limits } from "./limits.ts";
import schema from "./schema.json" with { type: "json" };

/** Runs until `done` is true for the output, and returns all frames. */
async function frames(
	scenario: Scenario,
	lines: (string | object)[],
	done: (text: string) => boolean,
): Promise<{ text: string; frames: { type: string; [key: string]: unknown }[] }> {
	await using played = await playModel(scenario);
	let text = "";
	const finished = Promise.withResolvers<void>();
	await using env = await testToolEnv({ cwd: "/" });
	await using rpc = await connect(played, {
		session: { tools: builtinTools.map((tool) => tool.bind(env)) },
		onWrite: (piece) => {
			text += piece;
			if (done(text)) finished.resolve();
		},
	});
	for (const line of lines) await rpc.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
	await finished.promise;
	const parsed = text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	return { text, frames: parsed };
}

const isOver = (text: string): boolean => text.includes('"agent_end"');

test("every frame matches the checked-in schema", async () => {
	// The parts of the document refer to each other, so each is validated together with all of them.
	const of = (name: "Event" | "Response" | "Command") =>
		z.fromJSONSchema({ ...(schema as object), $ref: `#/$defs/${name}` } as Parameters<
			typeof z.fromJSONSchema
		>[0]);
	const [event, response, command] = [of("Event"), of("Response"), of("Command")];
	const commands = [
		{ id: 1, type: "bash", command: "true" },
		{ type: "get_state" },
		{ type: "get_available_models" },
		{ type: "set_model", provider: "a", modelId: "b" },
		{ type: "cycle_model" },
		{ type: "cycle_thinking_level" },
		{ type: "set_session_name", name: "x" },
		{ type: "prompt", message: "go" },
		{ type: "steer", message: "left" },
		{ type: "get_session_stats" },
		{ type: "get_messages" },
		{ type: "get_fork_messages" },
		{ type: "get_last_assistant_text" },
		{ type: "get_entries" },
		{ type: "get_tree" },
		{ type: "clear_queue" },
		{ type: "get_available_thinking_levels" },
		{ type: "get_commands" },
		{ type: "nonsense" },
	];
	const said = await frames(
		{
			steps: [
				{
					answer: {
						blocks: [
							{ thinking: "hm", signature: "s", chunks: 2 },
							{ text: "Let me look.", chunks: 3 },
							{ toolCall: { name: "bash", arguments: { command: "echo hi; exit 1" } } },
						],
					},
				},
				"Done.",
			],
		},
		commands,
		(text) => isOver(text) && text.includes("nonsense") && text.includes('"command":"bash"'),
	);
	for (const sent of commands.slice(0, -1)) expect(command.safeParse(sent).error).toBeUndefined();
	expect(command.safeParse(commands.at(-1)).success).toBe(false);
	expect(said.frames.filter(({ type }) => type === "response")).toHaveLength(commands.length);
	for (const frame of said.frames) {
		const parsed = (frame.type === "response" ? response : event).safeParse(frame);
		expect({ frame: frame.type, command: frame.command, error: parsed.error }).toEqual({
			frame: frame.type,
			command: frame.command,
			error: undefined,
		});
	}
	for (const wrong of [
		{ type: "agent_begin" },
		{ type: "message_end" },
		{ type: "agent_end", messages: [{}] },
	])
		expect(event.safeParse(wrong).success).toBe(false);
});

test("a line that is longer than allowed is answered once, and the next one works", async () => {
	const piece = "x".repeat(1024 * 1024);
	const lines = Array.from({ length: limits.commandBytes / piece.length + 1 }, () => piece);
	const said = await frames({ steps: [] }, [...lines, "\n", { id: "next", type: "get_commands" }], (text) =>
		text.includes('"next"'),
	);
	expect(said.frames).toMatchObject([
		{ command: "parse", success: false, error: expect.stringContaining(String(limits.commandBytes)) },
		{ id: "next", success: true },
	]);
});

test("twice the answer in twice the chunks costs twice the bytes", async () => {
	const bytes = async (chunks: number): Promise<number> => {
		const answer = { blocks: [{ text: "0123456789".repeat(chunks), chunks }] };
		return (await frames({ steps: [{ answer }] }, [{ type: "prompt", message: "go" }], isOver)).text.length;
	};
	const [one, two, four] = [await bytes(200), await bytes(400), await bytes(800)];
	// Unread deltas may be merged, so the number of lines varies; quadratic output would be far above this.
	expect(four - two).toBeLessThan(3 * (two - one) + 20_000);
	expect(four).toBeLessThan(800 * 1000);
});

test("a client that does not read is not read from either, and gets everything later", async () => {
	await using played = await playModel({ steps: [] });
	const drained = Promise.withResolvers<void>();
	const written: string[] = [];
	const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	await using rpc = await connect(played, {
		onWrite: (text) => {
			(written.push(text) === 1 ? first : second).resolve();
			return drained.promise;
		},
	});
	const both = ["get_commands", "get_state"].map((type) => `${JSON.stringify({ type })}\n`);
	await rpc.write(both.join(""));
	await first.promise;
	// The second command is in memory already: it would have been answered by the next turn.
	await new Promise(setImmediate);
	expect(written).toHaveLength(1);
	drained.resolve();
	await second.promise;
	expect(written[1]).toContain('"get_state"');
});

test("a model's headers, which may contain keys, are not shown", async () => {
	await using played = await playModel({ steps: [] });
	let text = "";
	await using rpc = await connect(played, {
		model: { headers: { authorization: "Bearer hidden" } },
		onWrite: (piece) => void (text += piece),
	});
	await using client = new RpcClient({ streams: rpc });
	await client.start();
	await Promise.all([client.getState(), client.getAvailableModels(), client.setModel("played", "played-1")]);
	expect(text).toContain("played-1");
	expect(text).not.toContain("hidden");
});

describe("at the end of a run", () => {
	test("a message queued after the run decided to end is sent in another run", async () => {
		await using played = await playModel({ steps: ["One.", "Two.", "Three."] });
		let late = ["left", "right"];
		// Behaviors get the event first, and the loop has checked for messages for the last time by then.
		const overtake: Behavior = {
			name: "overtake",
			attach: (session) =>
				session.onBefore(["agent_end"], () => {
					for (const text of late) rpc.host.session.steer({ text });
					late = [];
				}),
		};
		await using rpc = await connect(played, { session: { behaviors: [overtake] } });
		await using client = new RpcClient({ streams: rpc });
		await client.start();
		const events = await client.promptAndWait("go");
		expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(2);
		expect((await client.getMessages()).filter(({ role }) => role === "user")).toMatchObject([
			{ content: "go" },
			{ content: "left" },
			{ content: "right" },
		]);
		expect(await client.getState()).toMatchObject({ pendingMessageCount: 0, isStreaming: false });
	});

	test("by an abort, queued messages stay queued", async () => {
		const answer = { blocks: [{ text: "a long answer", chunks: 9 }] };
		await using played = await playModel({ steps: [{ answer, fault: { pauseMs: 60_000, afterChunks: 2 } }] });
		await using rpc = await connect(played);
		await using client = new RpcClient({ streams: rpc });
		await client.start();
		await client.prompt("go");
		await client.steer("left");
		await client.abort();
		expect(await client.getState()).toMatchObject({ pendingMessageCount: 1, isStreaming: false });
	});

	test("a client may send a prompt at once, also while we wait for it to read", async () => {
		await using played = await playModel({ steps: ["One.", "Two."] });
		const taken = Promise.withResolvers<void>();
		await using rpc = await connect(played, {
			onWrite: (text) => (text.startsWith('{"type":"agent_end"') ? taken.promise : undefined),
		});
		await using client = new RpcClient({ streams: rpc });
		await client.start();
		const answered = Promise.withResolvers<void>();
		const stop = client.onEvent((event) => {
			if (event.type !== "agent_end") return;
			stop();
			client.prompt("second").then(() => answered.resolve(), answered.reject);
			setImmediate(taken.resolve);
		});
		await client.prompt("first");
		await answered.promise;
		await client.waitForIdle();
		expect(await client.getLastAssistantText()).toBe("Two.");
	});
});
