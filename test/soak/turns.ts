/** What the played model does in one turn of the soak: each kind of work comes up again and again. */
import type { Scenario } from "@tau/ai/testing";

type Steps = Scenario["steps"];

interface Work {
	name: string;
	steps(turn: number): Steps;
}

const call = (name: string, args: Record<string, unknown>): Steps[number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

/** The marker of an assignment: requests of agents are told from those of the session by it. */
const assignment = "Report the word soak.";

const works: readonly Work[] = [
	{ name: "read", steps: () => [call("read", { path: "src/main.ts" })] },
	{
		name: "write",
		steps: (turn) => [
			call("write", { path: `notes/${turn % 20}.txt`, content: `turn ${turn}\n${"text ".repeat(200)}` }),
		],
	},
	{
		name: "edit",
		steps: (turn) => [
			call("edit", {
				path: "src/main.ts",
				edits: [
					turn % 2 === 0 ? { oldText: "first", newText: "second" } : { oldText: "second", newText: "first" },
				],
			}),
		],
	},
	{ name: "bash", steps: (turn) => [call("bash", { command: `echo turn ${turn}; ls src | head -3` })] },
	{ name: "long output", steps: () => [call("bash", { command: "seq 1 60000" })] },
	{ name: "failing command", steps: () => [call("bash", { command: "exit 3" })] },
	{ name: "grep", steps: () => [call("grep", { pattern: "export", path: "src" })] },
	{ name: "find", steps: () => [call("find", { pattern: "**/*.ts" })] },
	{ name: "fetch of nothing", steps: () => [call("read", { path: "no/such/file.ts" })] },
	{ name: "python", steps: (turn) => [call("eval", { language: "python", code: `n = ${turn}\nn * 2` })] },
	{ name: "javascript", steps: (turn) => [call("eval", { language: "js", code: `let m = ${turn}; m * 2` })] },
	{ name: "mcp", steps: (turn) => [call("mcp_plain_echo", { text: `turn ${turn}` })] },
	{ name: "lsp", steps: () => [call("lsp", { action: "symbols", path: "src/main.ts" })] },
	{
		name: "agent",
		steps: () => [
			call("task", { tasks: [{ assignment, agent: "explore" }] }),
			{ when: { bodyContains: assignment }, answer: "soak" },
		],
	},
	{
		name: "todo",
		steps: (turn) => [call("todo", { ops: [{ op: "append", phase: "Soak", items: [`task ${turn % 5}`] }] })],
	},
	{ name: "words", steps: (turn) => [`An answer of some length for turn ${turn}. ${"Word ".repeat(300)}`] },
];

export function workOf(turn: number): { name: string; scenario: Scenario } {
	const { name, steps } = works[turn % works.length] ?? { name: "nothing", steps: () => [] };
	return { name, scenario: { steps: steps(turn), fallback: `Done with turn ${turn}.` } };
}

export const kindsOfWork = works.length;
