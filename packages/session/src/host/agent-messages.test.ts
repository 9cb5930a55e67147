/** Messages between agents cannot grow without end. */
import { expect, test } from "bun:test";

import { AgentMessages } from "./agent-messages.ts";

test("messages, channels and their lengths have bounds", () => {
	const messages = new AgentMessages();
	const got: string[] = [];
	messages.connect("a", () => {});
	messages.connect("b", ({ text }) => void got.push(text));
	expect(messages.send("a", "#x", "nobody is there")).toEqual({ ok: true, reached: [] });
	expect(messages.join("b", "#x")).toBe(true);
	expect(messages.send("a", "#x", "y".repeat(10_000))).toEqual({ ok: true, reached: ["b"] });
	expect(got[0]).toHaveLength(4000);
	for (let sent = 2; sent < 50; sent++) messages.send("a", "all", "more");
	expect(messages.send("a", "b", "too much")).toEqual({
		ok: false,
		reason: "You have sent 50 messages, which is the limit.",
	});
	for (let at = 0; at < 16; at++) messages.join("b", `#${at}`);
	expect(messages.join("b", "#one-more")).toBe(false);
});
