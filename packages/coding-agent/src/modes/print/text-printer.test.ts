/** Users see the answer stream, scripts get the result, and neither gets control sequences. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { MessageBuilder, type AssistantContent, type AssistantMessage, type StopReason } from "@tau/ai";
import { stripControls } from "@tau/utils";
import type { SessionEvent } from "@tau/session";

import { testModel } from "../../../../../test/support/session.ts";
import { limits } from "./limits.ts";
import { textPrinter } from "./text-printer.ts";

interface Screen {
	out: string;
	err: string;
	/** Both, in the order of writing, as a terminal shows them. */
	both: string;
	/** What comes in the middle of a run. */
	onEvent(...events: SessionEvent[]): void;
	/** A run up to its end. */
	print(...events: SessionEvent[]): void;
}

function screen(terminal: { out: boolean; err: boolean }): Screen {
	const shown: Screen = {
		out: "",
		err: "",
		both: "",
		onEvent: (...events) => {
			for (const event of events) void printer.onEvent(event);
		},
		print: (...events) => {
			shown.onEvent(...events);
			void printer.end();
		},
	};
	const sink = (name: "out" | "err") => ({
		isTerminal: terminal[name],
		write: (text: string) => {
			shown[name] += text;
			shown.both += text;
		},
	});
	const describeCall = (name: string, args: Record<string, unknown>): string =>
		`${name} ${String(args.command)}`;
	const printer = textPrinter({ out: sink("out"), err: sink("err"), describeCall });
	return shown;
}

const userMessage = { out: true, err: true };
const script = { out: false, err: false };

function message(content: AssistantContent[], stopReason: StopReason = "stop"): AssistantMessage {
	return { ...new MessageBuilder(testModel()).message, content, stopReason };
}

/** The events of one answer: each text in its deltas, then the end. */
function answer(
	texts: string[][],
	{ calls = 0, stop = "stop" }: { calls?: number; stop?: StopReason } = {},
): SessionEvent[] {
	const blocks: AssistantContent[] = texts.map((deltas) => ({ type: "text", text: deltas.join("") }));
	for (let count = 0; count < calls; count++)
		blocks.push({ type: "toolCall", id: "c", name: "bash", arguments: {} });
	const partial = message(blocks, stop);
	const update = (
		assistantMessageEvent: Extract<SessionEvent, { type: "message_update" }>["assistantMessageEvent"],
	): SessionEvent => ({
		type: "message_update",
		message: partial,
		assistantMessageEvent,
	});
	return [
		{ type: "message_start", message: partial },
		...texts.flatMap((deltas, contentIndex) => [
			update({ type: "text_start", contentIndex, partial }),
			...deltas.map((delta) => update({ type: "text_delta", contentIndex, delta, partial })),
			update({ type: "text_end", contentIndex, content: deltas.join(""), partial }),
		]),
		{ type: "message_end", message: partial },
	];
}

const call: SessionEvent = {
	type: "tool_execution_start",
	toolCallId: "c",
	toolName: "bash",
	args: { command: "ls" },
};

describe("on a terminal", () => {
	test("text is shown as it arrives", () => {
		const shown = screen(userMessage);
		const events = answer([["Hel", "lo"]]);
		shown.onEvent(...events.slice(0, 3));
		expect(shown.out).toBe("Hel");
		shown.print(...events.slice(3));
		expect(shown.out).toBe("Hello\n");
	});

	test("every block ends its line, and none adds an empty one", () => {
		const shown = screen(userMessage);
		shown.print(...answer([["a\n"], ["b"], [""]]));
		expect(shown.out).toBe("a\nb\n");
	});

	test("a tool call is on its own line, between the text before and after it", () => {
		const shown = screen(userMessage);
		shown.print(...answer([["Looking"]], { calls: 1 }), call, ...answer([["Done."]]));
		expect(shown.both).toBe("Looking\n· bash ls\nDone.\n");
	});

	test("a status line is one line of limited width", () => {
		const shown = screen(userMessage);
		shown.print({ ...call, args: { command: `echo "${"long ".repeat(100)}"\nrm\x1b[2J` } });
		expect(shown.err).toMatch(/^· bash [^\n]*\n$/);
		expect(shown.err.length).toBeLessThanOrEqual(limits.statusChars + 1);
	});

	test("a sequence that is split over deltas is still removed", () => {
		const shown = screen(userMessage);
		shown.print(...answer([["red: \x1b", "[3", "1mX\x1b]0;ti", "tle\x07 ok\x9b", "2J."]]));
		expect(shown.out).toBe("red: X ok.\n");
	});

	test("property: the harmless text is shown, whatever the chunks", () => {
		const piece = fc.constantFrom(
			"a",
			"\n",
			"é",
			"😀",
			"\ud83d",
			"\x1b",
			"[",
			"31m",
			"]",
			"0;t",
			"\x07",
			"\x9b",
			"\r",
			"\t",
		);
		fc.assert(
			fc.property(fc.array(piece), (deltas) => {
				const shown = screen(userMessage);
				shown.print(...answer([deltas]));
				const clean = stripControls(deltas.join(""));
				expect(shown.out).toBe(clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`);
			}),
		);
	});

	test("a sequence that one block leaves open does not swallow the next", () => {
		const shown = screen(userMessage);
		shown.print(...answer([["a\x1b]0;open"], ["b"]]));
		expect(shown.out).toBe("a\nb\n");
	});
});

describe("in a pipe", () => {
	test("only the last answer is printed, whole", () => {
		const shown = screen(script);
		shown.print(...answer([["Looking"]], { calls: 1 }), call);
		expect(shown.both).toBe("");
		shown.print(...answer([["One", " two\n"], ["three"]]));
		expect(shown).toMatchObject({ out: "One two\n\nthree\n", err: "" });
	});

	test("control sequences are removed", () => {
		const shown = screen(script);
		shown.print(...answer([["\x1b[31mred\x1b[0m\x07"]]));
		expect(shown.out).toBe("red\n");
	});

	test("an answer that is continued after the limit is printed as one", () => {
		const shown = screen(script);
		const cut = answer([["Once upon "]], { stop: "length" });
		shown.print(...cut, ...answer([["a time."]]));
		expect(shown.out).toBe("Once upon a time.\n");
		expect(shown.err).toBe("");
	});

	test("an answer without text prints nothing", () => {
		const shown = screen(script);
		shown.print(...answer([]));
		expect(shown.out).toBe("");
	});

	test("the text before a failure is printed, also if it interrupted a call", () => {
		const shown = screen(script);
		shown.print(...answer([["Half of"]], { calls: 1, stop: "error" }));
		expect(shown.out).toBe("Half of\n");
	});

	test("a user who watches standard error still sees the calls", () => {
		const shown = screen({ out: false, err: true });
		shown.print(...answer([["Looking"]], { calls: 1 }), call, ...answer([["Done."]]));
		expect(shown).toMatchObject({ out: "Done.\n", err: "· bash ls\n" });
	});
});

describe.each([
	["on a terminal", userMessage],
	["in a pipe", script],
])("%s", (_, where) => {
	test("a failed compaction is reported on standard error, and a successful one is not part of the answer", () => {
		const shown = screen(where);
		const end = { reason: "threshold", result: null, aborted: false, willRetry: false } as const;
		shown.print({ type: "compaction_start", reason: "threshold", willRetry: false });
		shown.print({ type: "compaction_end", ...end, errorMessage: "Auto-compaction failed: no key" });
		expect(shown).toMatchObject({
			out: "",
			err: expect.stringMatching(/tau: Auto-compaction failed: no key\n$/),
		});
	});

	test("a notice goes to standard error, on its own line, with its whole path", () => {
		const shown = screen(where);
		const path = `/${"deep/".repeat(40)}file`;
		shown.print(...answer([["said"]]), { type: "notice", level: "warning", message: `not saved:\n${path}` });
		expect(shown.both).toBe(`said\ntau: not saved: ${path}\n`);
		expect(shown.err).toStartWith("tau: not saved");
	});

	test("an answer that reached the model's limit is reported as such", () => {
		const shown = screen(where);
		shown.print(...answer([["Once upon"]], { stop: "length" }));
		expect(shown.out).toBe("Once upon\n");
		expect(shown.err).toBe("tau: the answer was cut off at the model's output limit\n");
	});

	test("other messages and events are not shown", () => {
		const shown = screen(where);
		const user = { role: "user" as const, content: "secret", timestamp: 0 };
		shown.print(
			{ type: "agent_start" },
			{ type: "message_start", message: user },
			{ type: "message_end", message: user },
		);
		expect(shown.both).toBe("");
	});
});

test("a slow reader pauses the run instead of filling the memory", () => {
	const waiting = Promise.resolve();
	const slow = { isTerminal: true, write: () => waiting };
	const printer = textPrinter({ out: slow, err: slow, describeCall: (name) => name });
	const [, , delta] = answer([["text"]]);
	expect(printer.onEvent(delta ?? call)).toBe(waiting);
	expect(printer.onEvent(call)).toBe(waiting);
});

describe("an answer that failed halfway", () => {
	const failed = answer([["half of it"]], { stop: "error" });
	const retry: SessionEvent = {
		type: "auto_retry_start",
		attempt: 1,
		maxAttempts: 3,
		delayMs: 1500,
		errorMessage: "overloaded",
	};

	test("is the output if nothing better follows", () => {
		const shown = screen(script);
		shown.print(...failed);
		expect(shown.out).toBe("half of it\n");
	});

	test("is replaced by the answer of the retry", () => {
		const shown = screen(script);
		shown.print(...failed, retry, ...answer([["all of it"]]));
		expect(shown.out).toBe("all of it\n");
	});

	test("is followed by a line about the wait if a user watches", () => {
		const shown = screen(userMessage);
		shown.print(...failed, retry);
		expect(shown.err).toContain("tau: retrying in 2 s (attempt 1 of 3): overloaded");
	});
});
