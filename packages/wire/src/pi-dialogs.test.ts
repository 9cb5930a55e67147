/** A client that knows only pi's dialogs can answer every request. */
import { expect, test } from "bun:test";

import { extensionUIRequest, type ExtensionUIResponse } from "./extension-ui.ts";
import { asDialogs, dialogFrame } from "./pi-dialogs.ts";
import { answerSchema, type Dialog, type UserRequest } from "./requests.ts";

const head = { id: "r1", openedAt: 0 };
const response = { type: "extension_ui_response", id: "r1" } as const;
const value = (text: string): ExtensionUIResponse => ({ ...response, value: text });
const noAnswer: ExtensionUIResponse = { ...response, cancelled: true };

/** Answers the dialogs of a request in turn; gives the dialogs and the answer. */
function play(request: UserRequest, responses: ExtensionUIResponse[]) {
	const sequence = asDialogs(request);
	const seen: Dialog[] = [];
	let step = sequence.next();
	while (!step.done) {
		const frame = dialogFrame(request.id, step.value);
		// Each is a frame that pi's clients know.
		expect(extensionUIRequest().parse(frame)).toEqual(frame);
		seen.push(step.value);
		step = sequence.next(responses.shift() ?? noAnswer);
	}
	expect(answerSchema(request.kind).safeParse(step.value).success).toBe(true);
	return { seen, answer: step.value };
}

test.each<[Dialog, ExtensionUIResponse, object]>([
	[{ method: "select", title: "Which?", options: ["a", "b"], timeout: 5000 }, value("b"), { value: "b" }],
	[{ method: "confirm", title: "Run?", message: "x" }, { ...response, confirmed: true }, { confirmed: true }],
	[{ method: "input", title: "Name?", placeholder: "x" }, value(""), { value: "" }],
	[{ method: "editor", title: "Text", prefill: "…" }, noAnswer, { cancelled: true }],
	[{ method: "confirm", title: "Run?", message: "x" }, value("yes"), { cancelled: true }],
	[{ method: "input", title: "Name?" }, { ...response, confirmed: true }, { cancelled: true }],
])("a dialog is passed through: %j answered with %j", (dialog, given, answer) => {
	expect(dialogFrame("r1", dialog)).toEqual({ type: "extension_ui_request", id: "r1", ...dialog });
	const played = play({ ...head, kind: "dialog", dialog }, [given]);
	expect(played).toEqual({ seen: [dialog], answer: answer as typeof played.answer });
});

const questions: UserRequest = {
	...head,
	kind: "questions",
	questions: [
		{
			id: "db",
			question: "Which database?",
			options: [{ label: "SQLite", description: "one file" }, { label: "Redis" }],
			multiple: false,
		},
		{
			id: "os",
			question: "Where?",
			options: [{ label: "Linux" }, { label: "macOS" }, { label: "BSD" }],
			multiple: true,
		},
		{ id: "name", question: "Its name?", options: [], multiple: false },
	],
};

test("questions are sent one by one: a choice, several choices until Done, and a text", () => {
	const { seen, answer } = play(questions, ["Redis", "BSD", "Linux", "Done", "main"].map(value));
	expect<object>(answer).toEqual({
		answers: [
			{ id: "db", chosen: ["Redis"] },
			{ id: "os", chosen: ["BSD", "Linux"] },
			{ id: "name", chosen: [], text: "main" },
		],
	});
	expect(seen[0]).toEqual({
		method: "select",
		title: "Which database?\nSQLite: one file",
		options: ["SQLite", "Redis"],
	});
	expect(seen[2]).toMatchObject({ options: ["Linux", "macOS", "Done"] });
	expect(seen[4]).toEqual({ method: "input", title: "Its name?" });
});

test.each<[string, ExtensionUIResponse]>([
	["cancels", noAnswer],
	["chooses an unknown option", value("Oracle")],
])("a client that %s answers none of the questions, and gets no more", (_, given) => {
	const { seen, answer } = play(questions, [given]);
	expect(answer).toEqual({ cancelled: true });
	expect(seen).toHaveLength(1);
});

const approval: UserRequest = {
	...head,
	kind: "approval",
	call: { toolCallId: "c1", toolName: "bash", args: { command: "rm -rf build" } },
	tier: "exec",
	touches: [
		{ kind: "exec", command: "rm -rf build", cwd: "/work" },
		{ kind: "delete", path: "/work/build" },
		{ kind: "fetch", url: "https://example.org" },
	],
	reason: "It deletes files.",
	choices: [
		{ id: "run", label: "Run once", allows: true, scope: "once" },
		{ id: "deny", label: "Do not run", allows: false, scope: "once" },
	],
};

test("an approval shows what the call touches, and only a choice that was offered counts", () => {
	const { seen, answer } = play(approval, [value("Do not run")]);
	expect(seen).toEqual([
		{
			method: "select",
			title:
				"Allow bash?\nIt deletes files.\nrun rm -rf build\ndelete /work/build\nfetch https://example.org",
			options: ["Run once", "Do not run"],
		},
	]);
	expect<object>(answer).toEqual({ choice: "deny" });
	expect(play(approval, [value("yes")]).answer).toEqual({ cancelled: true });
});

test.each<[string, object]>([
	["Trust", { trusted: true, remember: true }],
	["Trust for this session", { trusted: true, remember: false }],
	["Do not trust", { trusted: false, remember: false }],
	["yes", { cancelled: true }],
])("trust is answered by choosing: %s", (label, answer) => {
	const request: UserRequest = { ...head, kind: "trust", project: "/work", runs: [{ path: "/work/a.ts" }] };
	const played = play(request, [value(label)]);
	expect<object>(played.answer).toEqual(answer);
	expect(played.seen[0]).toMatchObject({ title: "Trust /work? It would run:\n/work/a.ts" });
});
