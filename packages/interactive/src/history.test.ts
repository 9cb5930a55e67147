/** A long session shows its end when it is opened, and how much comes before it. */
import { expect, test } from "bun:test";
import { SessionManager } from "@tau/log";

import { LocalTail } from "@tau/server/clients/local-view";
import { pastOf } from "./history.ts";
import { limits } from "./limits.ts";

const shown = (log: SessionManager) => pastOf(new LocalTail({ log }));
const say = (log: SessionManager, content: string): string =>
	log.appendMessage({ role: "user", content, timestamp: 0 });

test("a short session is shown completely", () => {
	using log = SessionManager.inMemory("/work");
	say(log, "one");
	log.appendModelChange("p", "m");
	say(log, "two");
	expect(shown(log)).toMatchObject({ messages: [{ content: "one" }, { content: "two" }], leftOut: 0 });
});

test("a long session is shown from its end", () => {
	using log = SessionManager.inMemory("/work");
	for (let at = 0; at < limits.resumedMessages + 50; at++) say(log, `message ${at}`);
	const { messages, leftOut } = shown(log);
	expect(messages).toHaveLength(limits.resumedMessages);
	expect(messages.at(-1)).toMatchObject({ content: `message ${limits.resumedMessages + 49}` });
	expect(leftOut).toBe(50);
});

test("a session with long messages is shown as far as can be laid out at once", () => {
	using log = SessionManager.inMemory("/work");
	for (let at = 0; at < 20; at++) say(log, "x".repeat(limits.resumedChars / 4));
	expect(shown(log)).toMatchObject({ leftOut: 16 });
});

test("only the current branch is shown", () => {
	using log = SessionManager.inMemory("/work");
	const first = say(log, "one");
	say(log, "the road not taken");
	log.branch(first);
	say(log, "two");
	expect(shown(log).messages).toMatchObject([{ content: "one" }, { content: "two" }]);
});

test("after /clear nothing that was said before is shown", () => {
	using log = SessionManager.inMemory("/work");
	say(log, "one");
	log.append({ type: "reset_boundary" });
	expect(shown(log)).toMatchObject({ messages: [], leftOut: 1 });
	say(log, "two");
	expect(shown(log)).toMatchObject({ messages: [{ content: "two" }], leftOut: 1 });
});
