/** A plan is updated step by step: an invalid call changes nothing, and the list follows the branch. */
import { describe, expect, test } from "bun:test";

import type { AgentMessage, AgentToolResult } from "@tau/agent";
import * as fc from "fast-check";
import { todoStatuses } from "@tau/session/run";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import type { ToolSession } from "../tool/env.ts";
import { applyOps, type TodoOp } from "./apply.ts";
import { limits } from "./limits.ts";
import { markdownToPhases, phasesToMarkdown } from "./markdown.ts";
import { allTasks, type TodoPhase } from "./phases.ts";
import { todoPhases } from "./state.ts";
import { todo } from "./tool.ts";

const init: TodoOp = {
	op: "init",
	list: [
		{ phase: "Build", items: ["parse", "print"] },
		{ phase: "Ship", items: ["tag"] },
	],
};

/** `x` completed, `/` in progress, `-` abandoned, and a space for pending: one letter per task. */
function letters(phases: readonly TodoPhase[]): string {
	const marks = { pending: " ", in_progress: "/", completed: "x", abandoned: "-" } as const;
	return phases.map(({ tasks }) => tasks.map(({ status }) => marks[status]).join("")).join("|");
}

describe("operations", () => {
	const cases: [what: string, ops: TodoOp[], left: string][] = [
		["the first task is started automatically", [], "/ | "],
		["the next task follows one that is done", [{ op: "done", task: "parse" }], "x/| "],
		["the next phase follows one that is done", [{ op: "done", phase: "Build" }], "xx|/"],
		["only one task is in progress", [{ op: "start", task: "tag" }], "  |/"],
		["a closed task can be reopened", [{ op: "done" }, { op: "start", task: "print" }], "x/|x"],
		["a dropped task is not done", [{ op: "drop", task: "parse" }], "-/| "],
		["a task can be removed", [{ op: "rm", task: "parse" }], "/| "],
		["a phase can be emptied", [{ op: "rm", phase: "Build" }], "|/"],
		["everything can be removed", [{ op: "rm" }], ""],
		["a new phase is made by adding to it", [{ op: "append", phase: "Rest", items: ["nap"] }], "/ | | "],
		[
			"operations go in their order",
			[{ op: "done" }, { op: "append", phase: "Ship", items: ["tell"] }],
			"xx|x/",
		],
	];
	test.each(cases)("%s", (_, ops, left) => {
		const { phases, errors } = applyOps([], [init, ...ops]);
		expect(errors).toEqual([]);
		expect(letters(phases)).toBe(left);
	});

	const wrong: [what: string, op: TodoOp, message: string][] = [
		["an unknown task", { op: "done", task: "parsee" }, 'Task "parsee" not found; did you mean "parse"?'],
		["an unknown phase", { op: "done", phase: "Bild" }, 'Phase "Bild" not found; did you mean "Build"?'],
		["a duplicate task", { op: "append", phase: "New", items: ["tag"] }, 'Task "tag" already exists'],
		["an init without a list", { op: "init" }, "Missing list for init operation"],
		["a start without a task", { op: "start" }, "Missing task content"],
		["an append without a phase", { op: "append", items: ["a"] }, "Missing phase name for append operation"],
		["an append without items", { op: "append", phase: "Ship" }, "Missing items for append operation"],
		[
			"a task twice in a list",
			{ op: "init", list: [{ phase: "A", items: ["a", "a"] }] },
			'Duplicate task "a" in init list',
		],
		[
			"more than a list holds",
			{ op: "append", phase: "A", items: Array.from({ length: limits.tasks }, (_, at) => `t${at}`) },
			"A todo list can have at most",
		],
	];
	test.each(wrong)("%s is reported, and the whole call has no effect", (_, op, message) => {
		const before = applyOps([], [init]).phases;
		const { phases, errors } = applyOps(before, [{ op: "done", task: "parse" }, op]);
		expect(errors.join()).toContain(message);
		expect(phases).toEqual(before);
	});

	test("an empty list says how to start", () => {
		expect(applyOps([], [{ op: "start", task: "a" }]).errors[0]).toContain("start with init");
	});

	test("viewing changes nothing, not even which task is in progress", () => {
		const before: TodoPhase[] = [{ name: "A", tasks: [{ content: "a", status: "pending" }] }];
		expect(applyOps(before, [{ op: "view" }]).phases).toEqual(before);
	});

	const name = fc.constantFrom("a", "b", "c", "d");
	const anyOp: fc.Arbitrary<TodoOp> = fc.record(
		{
			op: fc.constantFrom("init", "start", "done", "rm", "drop", "append", "view"),
			list: fc.array(fc.record({ phase: name, items: fc.array(name, { minLength: 1 }) })),
			task: name,
			phase: name,
			items: fc.array(name, { minLength: 1 }),
		},
		{ requiredKeys: ["op"] },
	);
	test("property: at most one task is in progress, one whenever some are pending, and texts stay unique", () => {
		fc.assert(
			fc.property(fc.array(fc.array(anyOp, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (calls) => {
				let phases: TodoPhase[] = [];
				for (const ops of calls) phases = applyOps(phases, ops).phases;
				const tasks = allTasks(phases);
				const active = tasks.filter(({ status }) => status === "in_progress").length;
				const isOpen = tasks.some(({ status }) => status === "pending" || status === "in_progress");
				expect(active).toBe(isOpen ? 1 : 0);
				expect(new Set(tasks.map(({ content }) => content)).size).toBe(tasks.length);
			}),
		);
	});
});

describe("the tool", () => {
	test("shows the open tasks and the current one", async () => {
		await using env = await testToolEnv();
		const tool = todo.bind(env);
		await callTool(tool, { ops: [init] });
		const result = await callTool(tool, { ops: [{ op: "done", task: "parse" }] });
		expect(textOf(result)).toBe(
			"2 of 3 left.\nNow: Build (1/2)\nBuild:\n- [x] parse\n- [/] print\nShip:\n- [ ] tag",
		);
		expect(result.details).toMatchObject({ completedTasks: [{ phase: "Build", content: "parse" }] });
		expect(todo.describeCall({ ops: [{ op: "done", task: "parse" }] })).toBe("todo done parse");
	});

	test("with a mistake is an error that shows the unchanged list", async () => {
		await using env = await testToolEnv();
		const tool = todo.bind(env);
		await callTool(tool, { ops: [init] });
		const result = await callTool(tool, { ops: [{ op: "done" }, { op: "start", task: "nothing" }] });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toStartWith(
			'Errors: Task "nothing" not found. Nothing was changed.\n3 of 3 left.',
		);
		const near = await callTool(tool, { ops: [{ op: "done", task: "parsee" }] });
		expect(textOf(near)).toStartWith(
			'Errors: Task "parsee" not found; did you mean "parse"? Nothing was changed.',
		);
	});

	test("reports an empty list", async () => {
		await using env = await testToolEnv();
		const tool = todo.bind(env);
		expect(textOf(await callTool(tool, { ops: [{ op: "view" }] }))).toBe("Todo list is empty.");
		await callTool(tool, { ops: [init] });
		expect(textOf(await callTool(tool, { ops: [{ op: "rm" }] }))).toBe("Todo list cleared.");
	});

	test("continues from a resumed session, with closed items", async () => {
		const { phases } = applyOps([], [init, { op: "done", task: "parse" }]);
		await using env = await testToolEnv({
			session: await conversationWith([resultOf("1", { phases })]),
		});
		expect(letters(todoPhases(env))).toBe("x/| ");
	});

	test("follows the branch: moving back restores the list of that moment", async () => {
		await using base = await testToolEnv();
		const messages: AgentMessage[] = [];
		const env = { ...base, session: { ...base.session, messages } };
		const tool = todo.bind(env);
		messages.push(toolMessage("call-1", await callTool(tool, { ops: [init] })));
		const later = await tool.execute(
			"call-2",
			{ ops: [{ op: "done" }] },
			new AbortController().signal,
			() => {},
		);
		messages.push(toolMessage("call-2", later));
		expect(letters(todoPhases(env))).toBe("xx|x");
		messages.splice(1);
		messages.push({ role: "user", content: "another way", timestamp: 0 });
		expect(letters(todoPhases(env))).toBe("/ | ");
		messages.splice(0);
		expect(letters(todoPhases(env))).toBe("");
	});

	test("ignores results that are not lists", async () => {
		const odd = [resultOf("1", { phases: [{ name: "A", tasks: [{ content: 1 }] }] }), resultOf("2", "no")];
		await using env = await testToolEnv({ session: await conversationWith(odd) });
		expect(todoPhases(env)).toEqual([]);
	});
});

describe("as Markdown", () => {
	test("a user reads and edits it", () => {
		const { phases } = applyOps([], [init, { op: "done", task: "parse" }, { op: "drop", task: "tag" }]);
		expect(phasesToMarkdown(phases)).toBe("# Build\n- [x] parse\n- [/] print\n\n# Ship\n- [-] tag");
	});

	test("text before a heading, other marks and other lines are accepted", () => {
		const text =
			"- [>] first\r\n* [X] second\nsome words\n## Later\n+ [~] third\n- [ ]   fourth  \n- [?] no\n- no";
		expect(phasesToMarkdown(markdownToPhases(text))).toBe(
			"# Todos\n- [/] first\n- [x] second\n\n# Later\n- [-] third\n- [ ] fourth",
		);
	});

	test("property: a round trip loses nothing", () => {
		const word = fc.stringMatching(/^[a-z][a-z #[\]]{0,10}[a-z]$/);
		const task = fc.record({ content: word, status: fc.constantFrom(...todoStatuses) });
		const list = fc.uniqueArray(fc.record({ name: word, tasks: fc.array(task) }), {
			selector: ({ name }) => name,
		});
		fc.assert(
			fc.property(list, (phases) => {
				const once = markdownToPhases(phasesToMarkdown(phases));
				expect(once.map(({ name }) => name)).toEqual(phases.map(({ name }) => name));
				expect(allTasks(once).map(({ content }) => content)).toEqual(
					allTasks(phases).map(({ content }) => content),
				);
				expect(markdownToPhases(phasesToMarkdown(once))).toEqual(once);
			}),
		);
	});
});

async function conversationWith(messages: AgentMessage[]): Promise<ToolSession> {
	await using env = await testToolEnv();
	return { ...env.session, messages };
}

function resultOf(toolCallId: string, details: unknown): AgentMessage {
	return toolMessage(toolCallId, { content: [], details });
}

function toolMessage(
	toolCallId: string,
	{ content, details, isError = false }: AgentToolResult,
): AgentMessage {
	return { role: "toolResult", toolName: "todo", toolCallId, content, details, isError, timestamp: 0 };
}
