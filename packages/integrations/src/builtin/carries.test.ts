/** Results of tools name the facts that a compaction must not lose: open todos, decisions of the user, failing checks. */
import { expect, test } from "bun:test";

import type { AgentTool, AgentToolResult, CarriedFact } from "@tau/agent";

import { callTool, testToolEnv } from "../../../../test/support/tool-env.ts";
import { ask, bash, todo } from "@tau/tools/basic";

function facts(tool: AgentTool, result: AgentToolResult): readonly CarriedFact[] {
	const { content, details, isError = false } = result;
	const message = {
		role: "toolResult" as const,
		toolCallId: "1",
		toolName: tool.name,
		content,
		timestamp: 1,
	};
	return tool.carries?.({ ...message, details, isError }) ?? [];
}

test("the todo list is a fact as long as something is open", async () => {
	await using env = await testToolEnv();
	const tool = todo.bind(env);
	const list = { ops: [{ op: "init", list: [{ phase: "Build", items: ["parse", "print"] }] }] };
	expect(facts(tool, await callTool(tool, list))).toEqual([
		{ section: "todo", key: "list", text: "# Build\n- [/] parse\n- [ ] print" },
	]);
	const edit = {
		role: "custom" as const,
		customType: "user_todo_edit",
		content: "",
		display: false,
		timestamp: 2,
	};
	const phases = [{ name: "Build", tasks: [{ content: "parse", status: "completed" }] }];
	expect(tool.carries?.({ ...edit, details: { phases } })).toEqual([
		{ section: "todo", key: "list", text: "" },
	]);
	expect(tool.carries?.({ ...edit, customType: "other", details: { phases } })).toEqual([]);
});

test("an answer of the user is a decision; a declined question is none", async () => {
	const questions = [{ question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }] }];
	await using env = await testToolEnv({
		ask: async () => [{ id: "1", chosen: ["SQLite"], text: "for now" }],
	});
	const tool = ask.bind(env);
	expect(facts(tool, await callTool(tool, { questions }))).toEqual([
		{ section: "decision", key: "Which database?", text: "- Which database? SQLite; for now" },
	]);
	await using silent = await testToolEnv({ ask: async () => undefined });
	expect(facts(tool, await callTool(ask.bind(silent), { questions }))).toEqual([]);
});

test("a failing test command is a fact until it succeeds; other failing commands are none", async () => {
	await using env = await testToolEnv();
	const tool = bash.bind(env);
	const run = async (command: string) => facts(tool, await callTool(tool, { command }));
	await run("printf 'test -e done\\n' > test");
	expect(await run("sh ./test")).toEqual([
		{ section: "failing", key: "sh ./test", text: "- `sh ./test` failed with exit code 1" },
	]);
	await run("touch done");
	expect(await run("sh ./test")).toEqual([{ section: "failing", key: "sh ./test", text: "" }]);
	expect(await run("grep nothing test.txt")).toEqual([]);
});
