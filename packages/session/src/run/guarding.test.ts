/** A behavior may interrupt an answer, block a call and change a result; the log stays accurate. */
import { describe, expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { Behavior, SessionHandle } from "./behavior.ts";
import { persistence } from "../behaviors/persistence.ts";
import { SessionManager } from "@tau/log";

function behavior(attach: (session: SessionHandle) => Disposable): Behavior {
	return { name: "guard", attach };
}

async function talk(steps: Scenario["steps"], guards: Behavior[], tools: unknown[] = []) {
	await using played = await playModel({ steps });
	using log = SessionManager.inMemory("/");
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [persistence(log), ...guards],
		tools: tools as never,
	});
	await session.prompt({ text: "go" });
	const bodies = played.requests.map(({ rawBody }) => rawBody);
	return {
		messages: session.state.messages,
		bodies,
		log: log.getEntries(),
		context: log.buildSessionContext().messages,
	};
}

const noSpaces = (discard: boolean): Behavior =>
	behavior((session) =>
		session.onBefore(["message_update"], (event) => {
			if (event.assistantMessageEvent.type !== "text_delta") return;
			if (!event.assistantMessageEvent.delta.includes("spaces")) return;
			const message = { role: "user", content: "Tabs, please.", timestamp: 5 } as const;
			session.interrupt({ reason: "spaces", discard, message });
		}),
	);

test("a discarded answer is in the log, and not in the context after a resume", async () => {
	const { log, context, messages } = await talk(["I use spaces.", "I use tabs."], [noSpaces(true)]);
	expect(JSON.stringify(log)).toContain("I use spaces.");
	expect(JSON.stringify(context)).not.toContain("I use spaces.");
	expect(context.map(({ role }) => role)).toEqual(messages.map(({ role }) => role));
});

test("a kept answer is in both", async () => {
	const { log, context } = await talk(["I use spaces.", "I use tabs."], [noSpaces(false)]);
	expect(JSON.stringify(log)).toContain("I use spaces.");
	expect(JSON.stringify(context)).toContain("I use spaces.");
});

const echo = {
	name: "echo",
	label: "Echo",
	description: "says it again",
	parameters: { type: "object" },
	concurrency: "shared",
	validate: (value: Record<string, unknown>) => ({ ok: true, value }),
	execute: async () => ({ content: [{ type: "text", text: "ran" }] }),
};
const calls = [{ answer: { blocks: [{ toolCall: { name: "echo", arguments: {} } }] } }, "Done."];

function resultText(messages: readonly { role: string; content?: unknown }[]): string {
	return JSON.stringify(messages.find(({ role }) => role === "toolResult")?.content);
}

describe("before a call", () => {
	test("every gate is called, and the model gets the reason of the first denial", async () => {
		const asked: string[] = [];
		const check = (name: string, denies: boolean): Behavior =>
			behavior((session) =>
				session.gateTools({
					name,
					judge(call) {
						asked.push(`${name} ${call.name}`);
						return denies ? { allow: false, reason: `${name} says no` } : { allow: true };
					},
				}),
			);
		const { messages } = await talk(calls, [check("a", false), check("b", true), check("c", true)], [echo]);
		expect(asked).toEqual(["a echo", "b echo", "c echo"]);
		expect(resultText(messages)).toContain("b says no");
	});

	test("a check that throws denies the call", async () => {
		const broken = behavior((session) =>
			session.gateTools({
				name: "broken",
				judge() {
					throw new Error("no rules");
				},
			}),
		);
		expect(resultText((await talk(calls, [broken], [echo])).messages)).toContain("no rules");
	});

	test("a detached behavior is not called", async () => {
		const gone = behavior((session) => {
			const check = session.gateTools({ name: "gone", judge: () => ({ allow: false, reason: "gone" }) });
			check[Symbol.dispose]();
			return check;
		});
		expect(resultText((await talk(calls, [gone], [echo])).messages)).toContain("ran");
	});
});

test("results are changed one after the other, and a change that throws is ignored", async () => {
	const add = (text: string): Behavior =>
		behavior((session) =>
			session.gateTools({
				name: text,
				change: (_call, result) => ({ ...result, content: [...result.content, { type: "text", text }] }),
			}),
		);
	const broken = behavior((session) =>
		session.gateTools({
			name: "broken",
			change() {
				throw new Error("broken");
			},
		}),
	);
	const { messages } = await talk(calls, [add("one"), broken, add("two")], [echo]);
	expect(resultText(messages)).toMatch(/ran.*one.*two/);
});
