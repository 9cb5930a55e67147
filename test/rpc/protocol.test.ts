/** The pipe between a client and `tau --mode rpc`: invalid input is answered and harmless, and every output line is a frame. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc } from "./rpc-process.ts";
import { isRunning } from "../support/processes.ts";

describe("a response", () => {
	test("comes before the events of the command that it accepts", async () => {
		await using tau = await launch({ steps: ["Hello."] });
		await using rpc = startRpc(tau);
		rpc.write({ id: "one", type: "prompt", message: "hi" });
		await rpc.until(isEvent("agent_end"));
		expect(rpc.frames[0]).toEqual({
			id: "one",
			type: "response",
			command: "prompt",
			success: true,
			data: { disposition: "started" },
		});
		expect(rpc.frames.slice(1).some(({ type }) => type === "response")).toBe(false);
	});

	test("has the id of its command, whatever it is, or none", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		for (const id of ["text", "", 0, 7.5]) rpc.write({ id, type: "get_commands" });
		rpc.write({ type: "get_last_assistant_text" });
		await rpc.until(({ command }) => command === "get_last_assistant_text");
		expect(rpc.frames.map(({ id }) => id)).toEqual(["text", "", 0, 7.5, undefined]);
		expect(rpc.frames.at(-1)).not.toHaveProperty("id");
	});
});

const deep = 200_000;
const refused: [what: string, line: string | Uint8Array, response: object][] = [
	["half a JSON text", '{"type":"prompt","mess', { command: "parse" }],
	["a word", "hello", { command: "parse" }],
	["an array", '[{"type":"get_state"}]', { command: "parse", error: expect.stringContaining("JSON object") }],
	["null", "null", { command: "parse" }],
	["no type", '{"id":"x","message":"hi"}', { id: "x", command: "parse" }],
	["an invalid type", '{"id":"x","type":{"a":1}}', { id: "x", command: "parse" }],
	["binary", new Uint8Array([0, 1, 2, 255, 254, 0x7b]), { command: "parse" }],
	["broken UTF-8", Buffer.from('{"type":"prompt","message":"\xff"}', "latin1"), { command: "parse" }],
	["depth without end", `${"[".repeat(deep)}${"]".repeat(deep)}`, { command: "parse" }],
	[
		"an unknown command",
		'{"id":"x","type":"promt"}',
		{ id: "x", command: "promt", error: "Unknown command: promt. Did you mean prompt?" },
	],
	[
		"a command of omp",
		'{"id":"x","type":"abort_and_prompt","message":"hi"}',
		{ command: "abort_and_prompt", error: "Unknown command: abort_and_prompt. Use abort, then prompt." },
	],
	["the name of a prototype member", '{"type":"constructor"}', { command: "constructor" }],
	["a missing argument", '{"id":1,"type":"prompt"}', { id: 1, error: expect.stringMatching(/^message: /) }],
	["an argument of the wrong type", '{"type":"bash","command":7}', { command: "bash" }],
	["an empty prompt", '{"type":"prompt","message":" "}', { error: "The message is empty." }],
	["an unknown level", '{"type":"set_thinking_level","level":"hard"}', { command: "set_thinking_level" }],
	["an unknown mode", '{"type":"set_steering_mode","mode":"some"}', { command: "set_steering_mode" }],
	[
		"a picture that is not base64",
		'{"type":"prompt","message":"x","images":[{"type":"image","data":"%","mimeType":"image/png"}]}',
		{ error: expect.stringMatching(/^images\.0\.data: /) },
	],
	["an id that cannot be echoed", '{"id":{"a":1},"type":"get_state"}', { command: "get_state" }],
];

test("invalid commands are answered with an error each, and change nothing", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	const before = await rpc.ask({ type: "get_state" });
	for (const [, line] of refused) rpc.write(Buffer.concat([Buffer.from(line), Buffer.from("\n")]));
	const after = await rpc.ask({ type: "get_state" });
	const answers = rpc.frames.slice(1, -1);
	expect(answers).toEqual(
		refused.map(([, , response]) =>
			expect.objectContaining({ type: "response", success: false, error: expect.any(String), ...response }),
		),
	);
	expect(after.data).toEqual(before.data);
	expect(tau.played.requests).toHaveLength(0);
});

describe("lines", () => {
	test("end at a newline only, may have a carriage return, may be blank, may share a chunk", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		const named = (name: string): string => JSON.stringify({ type: "set_session_name", name });
		rpc.write(`${named("a\u2028b\u2029c")}\r\n\n\r\n  \n${JSON.stringify({ id: "s", type: "get_state" })}\n`);
		const state = await rpc.until(({ id }) => id === "s");
		expect(rpc.frames.filter(isEvent("response"))).toHaveLength(2);
		expect(state.data).toMatchObject({ sessionName: "a\u2028b\u2029c" });
	});

	test("may arrive byte by byte, in the middle of a character", async () => {
		await using tau = await launch({ steps: ["ok"] });
		await using rpc = startRpc(tau);
		for (const byte of Buffer.from('{"type":"prompt","message":"grüß 😀 Gott"}\n')) {
			rpc.write(new Uint8Array([byte]));
		}
		await rpc.until(isEvent("agent_end"));
		expect(tau.played.requests[0]?.rawBody).toContain("grüß 😀 Gott");
	});

	test("may end without a newline if it is the last one", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		rpc.write('{"id":"last","type":"list_requests"}');
		rpc.end();
		expect(await rpc.running.finished).toEqual({
			code: 0,
			out: '{"id":"last","type":"response","command":"list_requests","success":true,"data":{"requests":[]}}\n',
			err: "",
		});
	});
});

test("an answer to an unknown dialog is ignored", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau);
	rpc.write({ type: "extension_ui_response", id: "nobody", value: "Allow" });
	rpc.write({ type: "extension_ui_response" });
	await rpc.ask({ type: "get_commands" });
	expect(rpc.frames).toHaveLength(1);
});

test("prompts on the command line are rejected: the client sends them", async () => {
	await using tau = await launch({ steps: [] });
	expect(await tau.run(["--mode", "rpc", "hi", "--model", "played/played-1"])).toEqual({
		code: 2,
		out: "",
		err: expect.stringContaining("--mode rpc takes no prompt"),
	});
});

const longAnswer = { answer: { blocks: [{ text: "a long answer", chunks: 13 }] } };
const stuck = { ...longAnswer, fault: { pauseMs: 60_000, afterChunks: 3 } };
const sleeper = "sleep 300 & echo $! > pid; echo $$ >> pid; touch ready; wait";

/** Waits for the command's processes and returns their ids. */
async function pidsIn(project: string): Promise<number[]> {
	while (!(await Bun.file(join(project, "ready")).exists())) await Bun.sleep(5);
	return readFileSync(join(project, "pid"), "utf8").trim().split("\n").map(Number);
}

describe.each([
	["the end of its input", 0],
	["SIGTERM", 143],
] as const)("%s ends it with code %d", (how, code) => {
	const stop = (rpc: ReturnType<typeof startRpc>): void => {
		if (how === "SIGTERM") rpc.running.process.kill("SIGTERM");
		else rpc.end();
	};

	test("during an answer, which is reported as aborted and stored", async () => {
		await using tau = await launch({ steps: [stuck] });
		await using rpc = startRpc(tau);
		const state = await rpc.ask({ type: "get_state" });
		rpc.write({ type: "prompt", message: "hi" });
		await rpc.until(isEvent("message_update"));
		stop(rpc);
		const finished = await rpc.running.finished;
		expect({ code: finished.code, err: finished.err }).toEqual({ code, err: "" });
		await tau.played.waitForEnd(1);
		expect(tau.played.requests[0]?.aborted).toBe(true);
		const last = JSON.parse(finished.out.trimEnd().split("\n").at(-1) ?? "");
		expect(last).toMatchObject({
			type: "agent_end",
			messages: [{ role: "user" }, { stopReason: "aborted" }],
		});
		const { sessionFile } = state.data as { sessionFile: string };
		expect(readFileSync(sessionFile, "utf8").trimEnd().split("\n")).toHaveLength(3);
	});

	test("with a command running, whose processes end and whose response is sent", async () => {
		await using tau = await launch({ steps: [] });
		await using rpc = startRpc(tau);
		rpc.write({ id: "b", type: "bash", command: sleeper });
		const pids = await pidsIn(tau.project);
		expect(pids.filter(isRunning)).toHaveLength(2);
		stop(rpc);
		const { code: ended, out } = await rpc.running.finished;
		expect(ended).toBe(code);
		expect(pids.filter(isRunning)).toEqual([]);
		const frames = out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(frames.find(({ type }) => type === "response")).toMatchObject({
			id: "b",
			success: true,
			data: { cancelled: true },
		});
	});
});

test("a client that no longer reads ends it, also if it never closed the input", async () => {
	await using tau = await launch({ steps: [stuck] });
	const script = `"$0" --mode rpc ${model.join(" ")} | head -n 1; echo "code ${"$"}{PIPESTATUS[0]}"`;
	const child = Bun.spawn(["bash", "-c", script, join(import.meta.dir, "../../tau")], {
		cwd: tau.project,
		env: { PATH: process.env.PATH ?? "", HOME: tau.home },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "pipe",
	});
	child.stdin.write(`${JSON.stringify({ type: "prompt", message: "hi" })}\n`);
	child.stdin.flush();
	const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
	expect(out).toBe(
		'{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}\ncode 0\n',
	);
	expect(err).toBe("");
	child.stdin.end();
});
