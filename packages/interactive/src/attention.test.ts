/** A user who looks elsewhere is notified, and nobody else is disturbed. */
import { expect, test } from "bun:test";

import type { UserRequest } from "@tau/session/host";

import { Attention, type NotifyMethod } from "./attention.ts";
import type { AppTerminal } from "./screen.ts";
import { HandClock } from "./testing/view-context.ts";

function watched(method: NotifyMethod): { attention: Attention; clock: HandClock; calls: string[] } {
	const clock = new HandClock();
	const calls: string[] = [];
	const terminal = {
		write: (data: string) => void calls.push(data),
		notify: (title: string, body?: string) => void calls.push(`${title}: ${body}`),
		setProgress: () => {},
		setTitle: (title: string) => void calls.push(title),
	};
	const attention = new Attention(
		terminal as unknown as AppTerminal,
		() => ({ method, afterMs: 10_000 }),
		() => clock.now(),
	);
	return { attention, clock, calls };
}

test("a long turn notifies", () => {
	const { attention, clock, calls } = watched("auto");
	attention.begin();
	clock.pass(12_000);
	attention.end("The answer is there.");
	expect(calls).toEqual(["Tau: The answer is there."]);
});

test("a short turn does not, and neither does one in a focused terminal", () => {
	const { attention, clock, calls } = watched("auto");
	attention.begin();
	clock.pass(2000);
	attention.end("x");
	attention.begin();
	clock.pass(12_000);
	attention.onKey();
	clock.pass(1000);
	attention.end("x");
	expect(calls).toEqual([]);
});

test("every question calls the user, whoever asks it", () => {
	const { attention, calls } = watched("auto");
	const head = { id: "1", openedAt: 0 };
	const call = { toolCallId: "t", toolName: "bash", args: {} };
	const approval = { ...head, kind: "approval", call, tier: "exec", touches: [], choices: [] } as const;
	const requests: UserRequest[] = [
		approval,
		{ ...approval, agent: "Scout" },
		{ ...head, kind: "questions", questions: [] },
		{ ...head, kind: "trust", project: "/work", runs: [] },
		{ ...head, kind: "dialog", dialog: { method: "confirm", title: "Really?", message: "" } },
	];
	for (const request of requests) attention.onRequest(request);
	expect(calls).toEqual([
		"Tau: bash needs your approval.",
		"Tau: bash (agent Scout) needs your approval.",
		"Tau: A question waits for your answer.",
		"Tau: A question waits for your answer.",
		"Tau: A question waits for your answer.",
	]);
});

const ways: [method: NotifyMethod, bytes: string[]][] = [
	["bell", ["\x07"]],
	["osc9", ["\x1b]9;Tau: a, b\x07"]],
	["osc777", ["\x1b]777;notify;Tau;a, b\x07"]],
	["off", []],
];
test.each(ways)("%s notifies in its way", (method, bytes) => {
	const { attention, clock, calls } = watched(method);
	attention.begin();
	clock.pass(60_000);
	attention.end("a, b");
	expect(calls).toEqual(bytes);
});

test("the title is written only when it changes", () => {
	const { attention, calls } = watched("off");
	attention.setTitle("/work/project", undefined, false);
	attention.setTitle("/work/project", undefined, false);
	attention.setTitle("/work/project", "Mend \u001b]0;it\u0007", true);
	expect(calls[0]).toBe("τ project");
	expect(calls).toHaveLength(2);
	expect(calls[1]).toStartWith("● τ Mend");
	expect(calls[1]).not.toContain("\u001b");
});
