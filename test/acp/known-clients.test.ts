/** What the clients that people use send, by their public sources or a recording, is answered as each of them needs it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { ndJsonStream, type AnyMessage } from "@agentclientprotocol/sdk/unstable";

import { launch } from "../support/launch.ts";
import { asking, call, inputOf, outputOf } from "./editor.ts";
import known from "./fixtures/clients.json";
import { FrameCheck } from "./frame-check.ts";

interface KnownClient {
	name: string;
	/** Where it is public what it sends. */
	sources: string[];
	/** In their order; `$CWD` and `$SESSION` are filled in. */
	requests: { method: string; params: object }[];
	/** What it answers when it has written a file. */
	written: object | null;
	/** What follows each message; a newline by default. */
	lineEnd?: string;
	drawsTerminals?: boolean;
}

interface Message {
	id?: number | string;
	method?: string;
	params?: Record<string, unknown>;
	result?: Record<string, unknown>;
	error?: { message: string };
}

/** Its user allows everything once. Files are those on disk. */
async function answerOf(message: Message, { written }: KnownClient): Promise<object> {
	const { path, content, options } = (message.params ?? {}) as {
		path: string;
		content: string;
		options: { optionId: string; kind: string }[];
	};
	switch (message.method) {
		case "session/request_permission": {
			const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
			return { result: { outcome: { outcome: "selected", optionId } } };
		}
		case "fs/read_text_file":
			return { result: { content: await Bun.file(path).text() } };
		case "fs/write_text_file":
			await Bun.write(path, content);
			return { result: written };
		default:
			return { error: { code: -32_601, message: "Method not found" } };
	}
}

/** Every message of the agent up to the answer to the last request, in order. */
async function conversation(client: KnownClient): Promise<{ messages: Message[]; text: string }> {
	const change = call("write", { path: "note.txt", content: "new\n" });
	await using tau = await launch({
		steps: [change, call("bash", { command: "touch ran && echo ran" }), "Done."],
	});
	const note = join(tau.project, "note.txt");
	await Bun.write(note, "old\n");
	const running = tau.start(["acp", ...asking.args], { stdin: "pipe", env: asking.env });
	const check = new FrameCheck();
	// Some answer with less than the schema wants.
	check.sendsWrong = true;
	const end = new TextEncoder().encode(client.lineEnd ?? "\n");
	const input = inputOf(running).getWriter();
	const ended = new WritableStream<Uint8Array>({
		write: async (bytes) => {
			await input.write(Buffer.concat([bytes.subarray(0, -1), end]));
		},
	});
	const { readable, writable } = check.watch(ndJsonStream(ended, outputOf(running)));
	const reader = readable.getReader();
	const writer = writable.getWriter();
	const send = (message: object): Promise<void> =>
		writer.write({ jsonrpc: "2.0", ...message } as unknown as AnyMessage);
	const messages: Message[] = [];
	let session = "";
	for (const [id, { method, params }] of client.requests.entries()) {
		const filled = JSON.stringify(params).replaceAll("$CWD", tau.project).replaceAll("$SESSION", session);
		await send({ id, method, params: JSON.parse(filled) });
		for (;;) {
			const { value, done } = await reader.read();
			if (done) throw new Error(`tau ended before: ${running.output().err}`);
			const message = value as Message;
			messages.push(message);
			if (message.method === undefined && message.id === id) break;
			if (message.id !== undefined) await send({ id: message.id, ...(await answerOf(message, client)) });
		}
		session = String(messages.at(-1)?.result?.["sessionId"] ?? session);
	}
	await writer.close();
	const { stdin } = running.process;
	if (stdin && typeof stdin !== "number") await stdin.end();
	expect((await running.finished).code).toBe(0);
	check.assertValid();
	return { messages, text: await Bun.file(note).text() };
}

describe.each(known as KnownClient[])("$name", (client) => {
	test("opens a session, is asked, and gets its file changed and its answer", async () => {
		const { messages, text } = await conversation(client);
		const answers = messages.filter(({ method }) => method === undefined);
		expect(answers.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
		expect(text).toBe("new\n");
		expect(answers.find(({ result }) => result?.["stopReason"] !== undefined)?.result).toMatchObject({
			stopReason: "end_turn",
		});
		expect(messages.filter(({ method }) => method === "session/request_permission").length).toBe(2);
		// A client that handles messages one by one does not know the session before.
		const opened = messages.findIndex(({ result }) => result?.["sessionId"] !== undefined);
		expect(messages.slice(0, opened).some(({ method }) => method === "session/update")).toBe(false);
		const hasDrawn = messages.some((message) => JSON.stringify(message).includes('"terminal_output"'));
		expect(hasDrawn).toBe(client.drawsTerminals ?? false);
		expect(client.sources).not.toEqual([]);
	});
});
