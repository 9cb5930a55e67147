/** Rules trigger when the model breaks them, each in its own way, and no more often than they should. */
import { describe, expect, test } from "bun:test";

import type { AgentTool } from "@tau/agent";
import { playModel, type Scenario } from "@tau/ai/testing";
import { persistence } from "@tau/session/behaviors";
import { SessionManager } from "@tau/log";
import type { AgentSession, SessionEvent, Rule } from "@tau/session/run";

import { testModel, testSession } from "../../../../../test/support/session.ts";
import { ttsr, type TtsrOptions } from "./behavior.ts";

function rule(name: string, more: Partial<Rule> = {}): Rule {
	return { name, path: `/rules/${name}.md`, level: "project", content: `Words of ${name}.`, ...more };
}

const noLodash = rule("no-lodash", { condition: ["lodash"] });
const modes = { interruptMode: "always", contextMode: "discard", repeatMode: "once", repeatGap: 2 } as const;

interface Talk extends Partial<TtsrOptions> {
	steps: Scenario["steps"];
	prompts?: number;
	/** What happens between two prompts. */
	between?(log: SessionManager): void;
	onEvent?(event: SessionEvent, session: AgentSession): void;
}

async function talk({ steps, prompts = 1, between, onEvent, ...options }: Talk) {
	await using played = await playModel({ steps });
	const log = options.log ?? SessionManager.inMemory("/work");
	const behavior = ttsr({ stream: [], byFile: [], cwd: "/work", modes: () => modes, ...options, log });
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [persistence(log), behavior],
		messages: log.buildSessionContext().messages,
		tools: ["write", "edit", "bash", "read"].map(toolNamed),
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => {
		events.push(event);
		onEvent?.(event, session);
	});
	for (let prompt = 0; prompt < prompts; prompt++) {
		if (prompt > 0) between?.(log);
		await session.prompt({ text: "go" });
	}
	return {
		log,
		requests: played.requests.map(({ rawBody }) => rawBody),
		triggered: events.flatMap((event) =>
			event.type === "ttsr_triggered" ? [event.rules.map(({ name }) => name)] : [],
		),
		notices: events.flatMap((event) => (event.type === "notice" ? [event.message] : [])),
		results: session.state.messages.flatMap((message) =>
			message.role === "toolResult" ? [textsOf(message.content)] : [],
		),
		said: log.buildSessionContext().injectedTtsrRules,
		kinds: log.getEntries().map((entry) => (entry.type === "message" ? entry.message.role : entry.type)),
	};
}

function toolNamed(name: string): AgentTool {
	return {
		name,
		label: name,
		description: name,
		parameters: { type: "object" },
		concurrency: "shared",
		approval: "read",
		validate: (value) => ({ ok: true, value }),
		execute: async () => ({ content: [{ type: "text", text: `${name} ran` }] }),
	};
}

function textsOf(content: readonly { type: string; text?: string }[]): string[] {
	return content.map(({ text = "" }) => text);
}

function calls(...list: [name: string, args: Record<string, unknown>][]) {
	return {
		answer: { blocks: list.map(([name, args]) => ({ toolCall: { name, arguments: args }, chunks: 7 })) },
	};
}

describe("a rule that interrupts", () => {
	test("discards the answer and asks the model again with the rule", async () => {
		const {
			requests,
			triggered,
			said: lines,
			kinds,
		} = await talk({
			stream: [noLodash],
			steps: [
				{ answer: { blocks: [{ text: "First import lodash, then go on.", chunks: 9 }] } },
				"With plain code.",
			],
		});
		expect(requests).toHaveLength(2);
		expect(requests[1]).toContain("Words of no-lodash.");
		expect(requests[1]).toContain('<system-interrupt reason=\\"rule_violation\\" rule=\\"no-lodash\\"');
		expect(requests[1]).not.toContain("First import");
		expect(triggered).toEqual([["no-lodash"]]);
		expect(lines).toEqual(["no-lodash"]);
		expect(kinds).toEqual(["user", "assistant", "custom_message", "ttsr_injection", "assistant"]);
	});

	test("keeps the answer in the conversation if it is set to", async () => {
		const keeping = { ...noLodash, contextMode: "keep" } as const;
		const { requests } = await talk({ stream: [keeping], steps: ["I use lodash here.", "Done."] });
		expect(requests[1]).toContain("I use lodash");
		expect(requests[1]).toContain("Words of no-lodash.");
	});

	test("discards the answer if one of the triggered rules does", async () => {
		const stream = [{ ...noLodash, contextMode: "keep" } as const, rule("other", { condition: ["lodash"] })];
		const { requests, triggered } = await talk({ stream, steps: ["I use lodash here.", "Done."] });
		expect(triggered).toEqual([["no-lodash", "other"]]);
		expect(requests[1]).not.toContain("I use lodash");
	});

	test("is hidden from the user in the transcript, which says why the answer ended", async () => {
		const reasons: unknown[] = [];
		const { log } = await talk({
			stream: [noLodash],
			steps: ["lodash", "Done."],
			onEvent: (event) => {
				if (event.type === "message_end" && event.interrupted) reasons.push(event.interrupted);
			},
		});
		const sessionEntry = log.getEntries().find(({ type }) => type === "custom_message");
		expect(sessionEntry).toMatchObject({
			customType: "ttsr-injection",
			display: false,
			details: { rules: ["no-lodash"] },
		});
		expect(reasons).toEqual([{ reason: "Interrupted by the rule no-lodash.", discarded: true }]);
	});

	test("may trigger again if the user stopped the prompt before it was injected", async () => {
		let stops = 1;
		const { triggered, said: lines } = await talk({
			stream: [noLodash],
			steps: ["lodash", "lodash again", "Done."],
			prompts: 2,
			onEvent: (event, session) => {
				if (event.type === "ttsr_triggered" && stops-- > 0) session.abort();
			},
		});
		expect(triggered).toHaveLength(2);
		expect(lines).toEqual(["no-lodash"]);
	});

	test("prevents a tool call", async () => {
		const { results, requests } = await talk({
			stream: [rule("no-force", { condition: ["push --force"], scope: ["tool:bash"] })],
			steps: [calls(["bash", { command: "git push --force" }]), "I asked first."],
		});
		expect(results).toEqual([]);
		expect(requests[1]).toContain("Words of no-force.");
	});

	test("interrupts only text, or only tool calls, if it is set to", async () => {
		const prose = { ...noLodash, interruptMode: "prose-only" } as const;
		const write = calls(["write", { path: "a.ts", content: "import 'lodash';" }]);
		expect((await talk({ stream: [prose], steps: [write, "Done."] })).results).toHaveLength(1);
		const tool = { ...noLodash, interruptMode: "tool-only" } as const;
		expect((await talk({ stream: [tool], steps: [write, "Done."] })).results).toEqual([]);
	});

	test("is injected with all others that trigger at the same moment, in one message", async () => {
		const others = [noLodash, rule("no-import", { condition: ["import lodash$"], interruptMode: "never" })];
		const { requests, triggered } = await talk({ stream: others, steps: ["import lodash", "Done."] });
		expect(triggered.flat()).toContain("no-lodash");
		expect(requests).toHaveLength(2);
	});

	test("is not repeated to a model that ignores it: its answer is kept", async () => {
		const endless = { ...noLodash, repeatMode: "after-gap", repeatGap: 1 } as const;
		const steps = [{ answer: "lodash, always lodash", times: "always" as const }];
		expect((await talk({ stream: [endless], steps })).requests).toHaveLength(2);
	});

	test("only reminds after too many interrupted answers in a row", async () => {
		const names = ["r1", "r2", "r3", "r4", "r5", "r6"];
		const stream = names.map((name) => rule(name, { condition: [`${name} is broken`] }));
		const steps = [...names.map((name) => `Look: ${name} is broken.`), "Done."];
		const { requests, said: lines, triggered } = await talk({ stream, steps });
		expect(triggered).toEqual(names.map((name) => [name]));
		expect(requests.at(-1)).not.toContain("r5 is broken");
		expect(requests.at(-1)).toContain("r6 is broken");
		expect(lines).toEqual(names);
	});
});

describe("a rule that does not interrupt", () => {
	const gentle = { ...noLodash, interruptMode: "never" } as const;

	test("is injected after the answer, which is kept", async () => {
		const {
			requests,
			said: lines,
			kinds,
			notices,
		} = await talk({
			stream: [gentle],
			steps: ["I use lodash.", "Without it."],
		});
		expect(requests).toHaveLength(2);
		expect(requests[1]).toContain("I use lodash.");
		expect(requests[1]).toContain("Words of no-lodash.");
		expect(lines).toEqual(["no-lodash"]);
		expect(kinds).toEqual(["user", "assistant", "custom_message", "ttsr_injection", "assistant"]);
		expect(notices).toEqual(["Reminded the model of the rule no-lodash."]);
	});

	test("comes before the result of the call that breaks it, and the result is unchanged", async () => {
		const write = calls(["write", { path: "a.ts", content: "import 'lodash';" }]);
		const {
			results,
			said: lines,
			requests,
			notices,
		} = await talk({ stream: [gentle], steps: [write, "Done."] });
		expect(notices).toEqual(["Reminded the model of the rule no-lodash."]);
		expect(results).toEqual([
			[expect.stringContaining('<system-reminder reason="rule_violation"'), "write ran"],
		]);
		expect(results[0]?.[0]).toContain("Words of no-lodash.");
		expect(lines).toEqual(["no-lodash"]);
		expect(requests).toHaveLength(2);
	});

	test("is injected with one of two calls that break it, and another rule may join it", async () => {
		const content = "import 'lodash'; var a;";
		const two = calls(["write", { path: "a.ts", content }], ["write", { path: "b.ts", content }]);
		const stream = [gentle, rule("no-var", { condition: ["\\bvar\\b"], interruptMode: "never" })];
		const { results } = await talk({ stream, steps: [two, "Done."] });
		expect(results[0]?.[0]).toMatch(
			/Words of no-lodash\.[\s\S]*\n\n<system-reminder[\s\S]*Words of no-var\./,
		);
		expect(results[1]).toEqual(["write ran"]);
	});

	test("is injected with the results if the answer has calls", async () => {
		const blocks = [{ text: "I use lodash." }, { toolCall: { name: "read", arguments: { path: "a" } } }];
		const { requests } = await talk({ stream: [gentle], steps: [{ answer: { blocks } }, "Done."] });
		expect(requests).toHaveLength(2);
		expect(requests[1]).toMatch(/read ran[\s\S]*Words of no-lodash\./);
	});

	test("may trigger again if another rule discarded the answer", async () => {
		const stream = [gentle, rule("no-jquery", { condition: ["jquery"] })];
		const blocks = [{ text: "lodash" }, { toolCall: { name: "bash", arguments: { command: "jquery" } } }];
		const steps = [{ answer: { blocks } }, "lodash again", "Done."];
		expect((await talk({ stream, steps })).said).toEqual(["no-jquery", "no-lodash"]);
	});

	test("may trigger again if its call had no result", async () => {
		const steps = [calls(["nope", { text: "lodash" }]), calls(["bash", { command: "lodash" }]), "Done."];
		const { results, triggered } = await talk({ stream: [gentle], steps });
		expect(triggered).toHaveLength(2);
		expect(results[1]).toEqual([expect.stringContaining("Words of no-lodash."), "bash ran"]);
	});

	test("may trigger again if the answer failed", async () => {
		const failing = { answer: "I use lodash.", fault: { truncated: true as const } };
		const log = SessionManager.inMemory("/work");
		await talk({ stream: [gentle], steps: [failing], log });
		expect(log.buildSessionContext().injectedTtsrRules).toEqual([]);
		expect((await talk({ stream: [gentle], steps: ["lodash again", "Done."], log })).said).toEqual([
			"no-lodash",
		]);
	});
});

describe("the scope of a rule", () => {
	const thought = { answer: { blocks: [{ thinking: "lodash?" }, { text: "No." }] } };

	test("thinking is ignored unless the rule includes it", async () => {
		expect((await talk({ stream: [noLodash], steps: [thought] })).triggered).toEqual([]);
		const thinking = { ...noLodash, scope: ["thinking"] };
		expect((await talk({ stream: [thinking], steps: [thought, "No."] })).triggered).toEqual([["no-lodash"]]);
	});

	test.each([
		[["text"], 0],
		[["tool"], 1],
		[["tool:write"], 1],
		[["tool:edit"], 0],
		[["tool:write(*.ts, *.tsx)"], 1],
		[["tool:write(*.py)"], 0],
		[["tool:write(*.py)", "tool:edit(*.ts)"], 0],
	])("scope %p", async (scope, times) => {
		const write = calls(["write", { path: "src/a.ts", content: "lodash" }]);
		const { triggered } = await talk({ stream: [{ ...noLodash, scope }], steps: [write, "Done.", "Done."] });
		expect(triggered).toHaveLength(times);
	});

	test("globs require a matching file, anywhere in the arguments", async () => {
		const stream = [{ ...noLodash, globs: ["src/**/*.ts"] }];
		const write = (args: Record<string, unknown>) =>
			talk({ stream, steps: [calls(["write", args]), "Done.", "Done."] });
		expect((await write({ path: "/work/src/x/a.ts", content: "lodash" })).triggered).toHaveLength(1);
		expect((await write({ content: "lodash", path: "src/a.ts" })).triggered).toHaveLength(1);
		expect((await write({ path: "test/a.ts", content: "lodash" })).triggered).toEqual([]);
		const other = { stream: [{ ...noLodash, globs: ["/other/**"] }] };
		const outside = calls(["write", { path: "/other/a.ts", content: "lodash" }]);
		expect((await talk({ ...other, steps: [outside, "Done."] })).triggered).toHaveLength(1);
		expect((await talk({ stream, steps: ["lodash"] })).triggered).toEqual([]);
	});

	test("text that an edit removes does not count", async () => {
		const edit = (oldText: string, newText: string) =>
			talk({
				stream: [noLodash],
				steps: [calls(["edit", { path: "a.ts", edits: [{ oldText, newText }] }]), "Done.", "Done."],
			});
		expect((await edit("lodash", "plain")).triggered).toEqual([]);
		expect((await edit("plain", "lodash")).triggered).toHaveLength(1);
		const patch = (sign: string) =>
			talk({
				stream: [{ ...noLodash, globs: ["*.ts"] }],
				steps: [
					calls([
						"edit",
						{ input: `*** Begin Patch\n*** Update File: src/a.ts\n@@\n${sign}lodash\n*** End Patch` },
					]),
					"Done.",
					"Done.",
				],
			});
		expect((await patch("-")).triggered).toEqual([]);
		expect((await patch("+")).triggered).toHaveLength(1);
	});

	test("lines in the arguments of a tool are lines for conditions", async () => {
		const stream = [rule("no-rm", { condition: ["^rm -rf"], scope: ["tool:bash"] })];
		const command = 'cd "a b"\nrm -rf x';
		expect((await talk({ stream, steps: [calls(["bash", { command }]), "No."] })).triggered).toHaveLength(1);
	});
});

describe("a rule about the structure of code", () => {
	const clear = rule("no-guarded-clear", { astCondition: ["if ($X) clearTimeout($X)"] });
	const write = (path: string, content: string) => calls(["write", { path, content }]);

	test("is triggered by code of that structure, and not by similar text", async () => {
		const met = async (path: string, line: string) =>
			(await talk({ stream: [clear], steps: [write(path, `let timer;\n${line}\n`), "Done.", "Done."] }))
				.triggered.length;
		expect(await met("a.ts", "if (timer) clearTimeout(timer);")).toBe(1);
		expect(await met("a.ts", "if (timer) clearTimeout(other);")).toBe(0);
		expect(await met("a.ts", "// if (timer) clearTimeout(timer)")).toBe(0);
		expect(await met("a.txt", "if (timer) clearTimeout(timer);")).toBe(0);
	});

	test("interrupts while a long file is still being written", async () => {
		const content = `if (timer) clearTimeout(timer);\n${"const a = 1;\n".repeat(200)}`;
		const { results, requests } = await talk({ stream: [clear], steps: [write("a.ts", content), "Done."] });
		expect(results).toEqual([]);
		expect(requests[1]).toContain("Words of no-guarded-clear.");
	});

	test("with an invalid pattern is reported once, and everything else continues", async () => {
		const broken = rule("broken", { astCondition: ["foo(1); foo(2)"] });
		const content = "foo(1);\nif (t) clearTimeout(t);";
		const { notices, triggered } = await talk({
			stream: [broken, clear],
			steps: [write("a.ts", content), write("b.ts", content), "Done."],
		});
		expect(triggered).toEqual([["no-guarded-clear"]]);
		expect(notices.filter((notice) => notice.includes("Rule broken"))).toHaveLength(1);
	});
});

describe("how often", () => {
	test("once in a conversation, also after a resume", async () => {
		const first = await talk({ stream: [noLodash], steps: ["lodash", "Done.", "lodash again"], prompts: 2 });
		expect(first.triggered).toHaveLength(1);
		const again = await talk({ stream: [noLodash], steps: ["lodash"], log: first.log });
		expect(again.triggered).toEqual([]);
		expect(again.requests).toHaveLength(1);
	});

	test("again after a gap of turns", async () => {
		const spaced = { ...noLodash, repeatMode: "after-gap" } as const;
		const steps = ["lodash", "one", "lodash two", "lodash three", "four"];
		const { triggered, requests } = await talk({ stream: [spaced], steps, prompts: 3 });
		expect(triggered).toHaveLength(2);
		expect(requests).toHaveLength(5);
	});

	test("again on a branch without the injection", async () => {
		const steps = ["lodash", "Done.", "lodash", "Done."];
		const between = (log: SessionManager): void => log.resetLeaf();
		expect((await talk({ stream: [noLodash], steps, prompts: 2, between })).triggered).toHaveLength(2);
	});
});

describe("an unusable rule", () => {
	test.each([
		[{ condition: ["("] }, "is invalid"],
		[{ condition: ["a"], scope: ["nowhere"] }, "unknown scope"],
		[{ condition: ["a"], scope: ["text"], globs: ["*.ts"] }, "prose belongs to no file"],
		[{ astCondition: ["$A"], scope: ["tool:bash"] }, "apply only to edit and write"],
	])("is reported and left out: %p", async (more, reason) => {
		const { notices, triggered } = await talk({
			stream: [rule("bad", more), noLodash],
			steps: ["a lodash", "Done."],
		});
		expect(notices).toEqual([expect.stringContaining(reason)]);
		expect(notices.join("\n")).toContain("/rules/bad.md");
		expect(triggered).toEqual([["no-lodash"]]);
	});
});

test("a rule about files is injected once, with the first result about one of them", async () => {
	const styles = rule("styles", { globs: ["*.css"] });
	const read = calls(["read", { path: "src/a.css" }]);
	const {
		results,
		said: lines,
		triggered,
	} = await talk({
		byFile: [styles],
		steps: [calls(["read", { path: "a.ts" }]), read, read, "Done."],
	});
	expect(results).toEqual([
		["read ran"],
		[expect.stringContaining("Words of styles."), "read ran"],
		["read ran"],
	]);
	expect(lines).toEqual(["styles"]);
	expect(triggered).toEqual([]);
});
