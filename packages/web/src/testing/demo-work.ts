/** Played sessions in the middle of their work: one that plans, and one that carries out its plan with agents. */
import type { AgentFacts } from "@tau/wire";

import { MockSession } from "./mock-session.ts";
import { answer, ask, call, factsOf, result, text, user } from "./scenes.ts";

const plan = `# Stream the importer

The importer reads a file as a whole, which takes **1.4 GB** for the largest one.

- \`readRows()\` becomes an async generator.
- The writer takes batches of 500 rows, in one transaction each.

| file | now | planned |
| --- | --- | --- |
| 200 MB | 1.4 GB | 60 MB |

No change of the format, and none of the command line.`;

const steps = [
	"Measure the memory of an import",
	"Read rows as a stream",
	"Write in batches",
	"Measure again",
];

const planned = { plan, steps };

/** A plan waits for a yes. */
export function planSession(): MockSession {
	const approvals = { mode: "plan", boundary: "sandbox" } as const;
	const session = new MockSession(factsOf("plan", "Plan the importer", { phase: "running", approvals }));
	session.message(user("/plan Port the importer to streams"));
	session.message(
		answer([text("I have read the importer and its callers."), call("p1", "submit_plan", planned)], {
			stopReason: "toolUse",
		}),
	);
	ask(session, {
		kind: "questions",
		id: "plan-1",
		openedAt: 0,
		questions: [
			{
				id: "plan",
				question: `${plan}\n\nStart implementing this plan? (mode: auto)`,
				options: [
					{ label: "Approve" },
					{ label: "Approve in a fresh context" },
					{ label: "Edit the plan" },
					{ label: "Keep planning, with feedback" },
				],
				multiple: false,
			},
		],
	});
	return session;
}

function agent(id: string, name: string, task: string, more: Partial<AgentFacts>): AgentFacts {
	const startedAt = Date.now() - 95_000;
	return { id, name, task, state: "running", lastAction: "", cost: 0.04, startedAt, ...more } as AgentFacts;
}

/** The plan is carried out: an answer is being written, messages wait, agents work. */
export function busySession(): MockSession {
	const session = new MockSession(
		factsOf("busy", "Stream the importer", {
			phase: "running",
			queue: { steering: ["Keep the old function as well"], followUp: ["Then update the docs"] },
			agents: [
				agent("a1", "explore", "Find every caller of readRows", { lastAction: "grep readRows(" }),
				agent("a2", "measure", "Measure the memory of an import", {
					parentId: "a1",
					state: "completed",
					endedAt: Date.now() - 20_000,
				}),
			],
			todos: [
				{
					name: "Plan",
					tasks: steps.map((content, at) => ({ content, status: at < 2 ? "completed" : "pending" })),
				},
			],
		}),
	);
	session.message(user("/plan Port the importer to streams"));
	session.message(answer([call("p1", "submit_plan", planned)], { stopReason: "toolUse" }));
	const approved = { mode: "auto", artifact: "plan-1", setsTodo: true };
	session.message(result("p1", "submit_plan", "The user approved the plan.\nThe mode is auto.", approved));
	const { content: _, ...head } = answer([]);
	session.emit({ type: "message_start", message: { ...head, content: [] } });
	const written = [
		["thinking", "The writer needs a **batch**: a transaction a row would be slow."],
		["text", "The rows are a stream now. I write them in batches of 500, so that one transaction"],
	] as const;
	for (const [contentIndex, [kind, delta]] of written.entries()) {
		for (const assistantMessageEvent of [
			{ type: `${kind}_start`, contentIndex },
			{ type: `${kind}_delta`, contentIndex, delta },
		] as const)
			session.emit({ type: "message_update", message: head, assistantMessageEvent });
	}
	return session;
}
