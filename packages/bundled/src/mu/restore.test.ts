/** Models get the complete results that mu has shortened, wherever they are stored. */
import { expect, spyOn, test } from "bun:test";

import type { AgentMessage } from "@tau/agent";
import { log as logger } from "@tau/utils";
import type { AnyHandler, ExtensionAPI, ExtensionContext } from "@tau/extensions/api";
import { SessionManager } from "@tau/log";

import { limits } from "./limits.ts";
import { muRestore } from "./restore.ts";
import { storedType } from "@tau/session/export";

/** The extension in a session, with the events that a test sends it. */
async function restoring(log: SessionManager) {
	const handlers = new Map<string, AnyHandler>();
	const pi = { on: (name: string, handler: AnyHandler) => void handlers.set(name, handler), logger };
	await muRestore(pi as unknown as ExtensionAPI);
	const ctx = { sessionManager: log } as unknown as ExtensionContext;
	const emit = (type: string, event: object = {}): unknown =>
		handlers.get(type)?.({ type, ...event } as Parameters<AnyHandler>[0], ctx);
	return {
		emit,
		hears: (name: string) => handlers.has(name),
		/** What the model gets. */
		context: (messages: AgentMessage[]) =>
			(emit("context", { messages }) as { messages: AgentMessage[] } | undefined)?.messages ?? messages,
	};
}

function store(log: SessionManager, toolCallId: string, text: string): string {
	const data = { toolCallId, toolName: "lookup", input: {}, content: [{ type: "text", text }] };
	return log.appendCustomEntry(storedType, data);
}

function result(toolCallId: string, entryId?: string, text = '(query: "foo")'): AgentMessage {
	const _mu = { toolCallId, ...(entryId === undefined ? {} : { entryId }) };
	return {
		role: "toolResult",
		toolCallId,
		toolName: "lookup",
		content: [{ type: "text", text }],
		details: { _mu },
		isError: false,
		timestamp: 0,
	};
}

const textsOf = (messages: readonly AgentMessage[]): unknown[] =>
	messages.map((message) => (message.role === "toolResult" ? message.content[0] : undefined));

test("every result is complete, also if there are more than the cache holds", async () => {
	const log = SessionManager.inMemory("/work");
	const count = limits.hotResults + 50;
	const messages = Array.from({ length: count }, (_, at) =>
		result(`call-${at}`, store(log, `call-${at}`, `whole ${at}`)),
	);
	const expected = messages.map((_, at) => ({ type: "text", text: `whole ${at}` }));
	const { emit, context } = await restoring(log);
	emit("session_start");
	expect(textsOf(context(messages))).toEqual(expected);
	expect(textsOf(context(messages))).toEqual(expected);
	// The given message stays unchanged.
	expect(textsOf(messages)[0]).toEqual({ type: "text", text: '(query: "foo")' });
});

test("the last ones are cached, and older ones are read again: neither grows with the session", async () => {
	const log = SessionManager.inMemory("/work");
	const messages = Array.from({ length: limits.hotResults + 1 }, (_, at) =>
		result(`call-${at}`, store(log, `call-${at}`, `whole ${at}`)),
	);
	const { emit, context } = await restoring(log);
	emit("session_start");
	const read = spyOn(log, "getEntry");
	const few = messages.slice(0, limits.hotResults);
	context(few);
	read.mockClear();
	context(few);
	expect(read).not.toHaveBeenCalled();
	context(messages);
	expect(read).toHaveBeenCalledTimes(1);
	// The first one was evicted for the last.
	context(messages.slice(0, 1));
	expect(read).toHaveBeenCalledTimes(2);
});

test("a result that another program wrote, or that a fork gave another id, is found by its call", async () => {
	const log = SessionManager.inMemory("/work");
	const other = store(log, "other", "other");
	store(log, "call", "whole");
	for (const marked of [result("call"), result("call", "gone"), result("call", other)]) {
		const { emit, context } = await restoring(log);
		emit("session_start");
		expect(textsOf(context([marked]))).toEqual([{ type: "text", text: "whole" }]);
	}
});

test("a session without any is not even copied", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendCustomEntry("something-else", { toolCallId: "call" });
	const { emit, hears } = await restoring(log);
	emit("session_start");
	emit("before_agent_start");
	expect(hears("context")).toBe(false);
});

test("it starts with the first shortened result, and on a branch that has one", async () => {
	const fresh = await restoring(SessionManager.inMemory("/work"));
	fresh.emit("tool_result", { details: { _mu: { toolCallId: "call" } } });
	expect(fresh.hears("context")).toBe(true);

	const log = SessionManager.inMemory("/work");
	const stored = store(log, "call", "whole");
	log.resetLeaf();
	const { emit, hears } = await restoring(log);
	emit("session_start");
	expect(hears("context")).toBe(false);
	log.branch(stored);
	emit("session_tree");
	expect(hears("context")).toBe(true);
});

test("a prompt before session_start is handled the same way", async () => {
	const log = SessionManager.inMemory("/work");
	const id = store(log, "call", "whole");
	const { emit, context } = await restoring(log);
	emit("before_agent_start");
	expect(textsOf(context([result("call", id)]))).toEqual([{ type: "text", text: "whole" }]);
});

test("a result that another extension replaced, or that is lost, stays unchanged", async () => {
	const log = SessionManager.inMemory("/work");
	const id = store(log, "call", "whole");
	const { emit, context } = await restoring(log);
	emit("session_start");
	const messages = [result("call", id, "[an extension left this out]"), result("lost", "nowhere")];
	expect(context(messages)).toEqual(messages);
});

test("an abandoned branch is summarized from complete results, and stays unchanged", async () => {
	const log = SessionManager.inMemory("/work");
	const text = log.appendMessage(result("call", store(log, "call", "whole")));
	const { emit } = await restoring(log);
	emit("session_start");
	const entriesToSummarize = log.getBranch();
	emit("session_before_tree", { preparation: { entriesToSummarize } });
	const messages = entriesToSummarize.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
	expect(textsOf(messages)).toEqual([{ type: "text", text: "whole" }]);
	const sessionEntry = log.getEntry(text);
	expect(sessionEntry?.type === "message" && textsOf([sessionEntry.message])).toEqual([
		{ type: "text", text: '(query: "foo")' },
	]);
});

test("a compaction summarizes complete results", async () => {
	const log = SessionManager.inMemory("/work");
	const id = store(log, "call", "whole");
	const { emit } = await restoring(log);
	emit("session_start");
	const preparation = { messagesToSummarize: [result("call", id)], turnPrefixMessages: [result("call", id)] };
	emit("session_before_compact", { preparation });
	const whole = [{ type: "text", text: "whole" }];
	expect(textsOf(preparation.messagesToSummarize)).toEqual(whole);
	expect(textsOf(preparation.turnPrefixMessages)).toEqual(whole);
});
