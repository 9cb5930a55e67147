/** Requests to the user are answered in the form of their kind. */
import { expect, test } from "bun:test";

import { eventSchema } from "./events.ts";
import { answerSchema, type RequestKind, type UserRequest, type UserRequestOf } from "./requests.ts";

const head = { id: "r1", openedAt: 1_700_000_000_000 };

const requests: { [K in RequestKind]: UserRequestOf<K> } = {
	questions: {
		...head,
		kind: "questions",
		from: { tool: "ask" },
		questions: [
			{
				id: "1",
				question: "Which database?",
				options: [{ label: "SQLite", description: "one file" }, { label: "Redis" }],
				multiple: false,
				recommended: 0,
			},
		],
	},
	approval: {
		...head,
		kind: "approval",
		from: { hook: "PreToolUse" },
		call: { toolCallId: "c1", toolName: "bash", args: { command: "rm -rf build" } },
		tier: "exec",
		touches: [
			{ kind: "exec", command: "rm -rf build", cwd: "/work" },
			{ kind: "delete", path: "/work/build" },
		],
		reason: "deletes files",
		choices: [
			{ id: "run", label: "Run once", allows: true, scope: "once" },
			{ id: "deny", label: "Do not run", allows: false, scope: "once" },
		],
	},
	trust: { ...head, kind: "trust", project: "/work", runs: [{ path: "/work/.tau/extensions/a.ts" }] },
	terminal: {
		...head,
		kind: "terminal",
		command: "sudo true",
		screen: {
			columns: 80,
			rows: 24,
			lines: ["Password: \x1b[7m \x1b[27m"],
			applicationCursor: false,
			bracketedPaste: false,
		},
	},
	dialog: {
		...head,
		kind: "dialog",
		from: { extension: "deploy" },
		dialog: { method: "confirm", title: "Deploy?", message: "To production" },
	},
};

const kinds = Object.keys(requests) as RequestKind[];

test.each(kinds)("request_opened carries a request of the kind %s", (kind) => {
	const request: UserRequest = requests[kind];
	const read: unknown = eventSchema().parse({ type: "request_opened", request });
	expect(read).toEqual({ type: "request_opened", request });
});

test.each<[string, RequestKind, unknown]>([
	["a choice", "questions", { answers: [{ id: "1", chosen: ["Redis"], text: "with a password" }] }],
	["a choice", "approval", { choice: "deny", message: "Use git clean." }],
	["trust", "trust", { trusted: true, remember: false }],
	["a yes", "dialog", { confirmed: true }],
	["a text", "dialog", { value: "x" }],
	...kinds.map((kind): [string, RequestKind, unknown] => ["a cancellation", kind, { cancelled: true }]),
])("%s answers %s", (_, kind, answer) => {
	expect(answerSchema(kind).safeParse(answer).success).toBe(true);
});

test.each<[string, RequestKind, unknown]>([
	["a choice without its question", "questions", { answers: [{ chosen: ["Redis"] }] }],
	["trust without its duration", "trust", { trusted: true }],
	["an answer of another kind", "trust", { confirmed: true }],
])("%s does not answer %s", (_, kind, answer) => {
	expect(answerSchema(kind).safeParse(answer).success).toBe(false);
});

test("an event of a child of a child is an event", () => {
	const inner = { type: "queue_update", steering: ["left"], followUp: [] };
	const event = { type: "child_event", id: "a", event: { type: "child_event", id: "b", event: inner } };
	expect<unknown>(eventSchema().parse(event)).toEqual(event);
	expect(eventSchema().safeParse({ type: "child_event", id: "a", event: { type: "nonsense" } }).success).toBe(
		false,
	);
});
