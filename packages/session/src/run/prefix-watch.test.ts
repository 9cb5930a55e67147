/** A session knows which of its requests the provider's cache could not answer, and why. */
import { expect, test } from "bun:test";

import type { AgentTool } from "@tau/agent";
import type { Step } from "@tau/ai/testing";
import { ToolRegistry } from "@tau/tools/registry";

import { filler, look, playedCompaction, summing, use } from "../../../../test/support/compaction.ts";
import { testModel } from "../../../../test/support/session.ts";
import { SessionManager } from "@tau/log";

const full = { input: 9000, output: 100 };
const calls: Step = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };

test("a growing conversation breaks nothing; other models, tools, compactions and pruning do, with their cost", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
	for (let n = 0; n < 7; n++) use(log, `c${n}`, "read", { path: `${n}` }, filler(1000));
	const tools = new ToolRegistry();
	tools.register("custom", [look]);
	const pruning: Step = {
		...calls,
		answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage: full },
	};
	await using on = await playedCompaction(
		{
			steps: [
				{ when: summing, answer: "So far." },
				calls,
				"One.",
				"Two.",
				"Three.",
				pruning,
				"Four.",
				"Five.",
			],
		},
		{ log, session: { tools } },
	);
	const causes = (): string[] => on.session.prefix.breaks.map(({ cause }) => cause);
	await on.session.prompt({ text: "one" });
	expect(causes()).toEqual([]);
	on.session.setModel(testModel({ ...on.session.model, id: "other" }));
	await on.session.prompt({ text: "two" });
	expect(causes()).toEqual(["model"]);
	tools.register("custom", [{ ...look, name: "late" } satisfies AgentTool]);
	await on.session.prompt({ text: "three" });
	expect(causes()).toEqual(["model", "tools"]);
	await on.session.prompt({ text: "four" });
	expect(causes()).toEqual(["model", "tools", "removed tool results"]);
	await on.session.compact();
	await on.session.prompt({ text: "five" });
	expect(causes()).toEqual(["model", "tools", "removed tool results", "compaction"]);
	const [model, , removed, compaction] = on.session.prefix.breaks;
	expect(model?.tokens).toBeGreaterThan(7000);
	// What is left behind the first removed result is read again, and what is gone is not.
	expect(removed?.tokens).toBeGreaterThan(2000);
	expect(removed?.tokens).toBeLessThan(6000);
	expect(compaction?.tokens).toBeLessThan(removed?.tokens ?? 0);
});
