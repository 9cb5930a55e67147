/** What messages, results and queues look like to extensions that were written for pi. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 10, cost: { total: 0.25 } };

test("answers and results carry their duration, the level, the provider's stop reason and what a tool paid", async () => {
	const tool = `pi.registerTool({ name: "ask_other", label: "Ask", description: "Asks another model",
		parameters: { type: "object", properties: {} },
		async execute() { return { content: [{ type: "text", text: "asked" }], usage: ${JSON.stringify(usage)} }; } });`;
	const watch = `pi.on("tool_execution_end", (event, ctx) => ctx.ui.notify("ended " + typeof event.durationMs));
		pi.on("message_end", ({ message }, ctx) => {
			if (message.role === "assistant") ctx.ui.notify([message.thinkingLevel, message.rawStopReason, typeof message.durationMs].join());
			if (message.role === "toolResult") ctx.ui.notify([typeof message.durationMs, message.usage.cost.total].join());
		});`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("ask_other"), "Done."] },
		{ files: { "a.ts": `export default (pi) => { ${tool} ${watch} };` } },
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual([
		"notify: off,tool_use,number",
		"notify: ended number",
		"notify: number,0.25",
		"notify: off,end_turn,number",
	]);
	const paid = fixture.session.usage.byModel().find(({ provider }) => provider === "tools");
	expect(paid).toMatchObject({ answers: 1, usage: { input: 7, cost: { total: 0.25 } } });
	const stored = [...fixture.log.spent()].filter(({ provider }) => provider === "tools");
	expect(stored).toMatchObject([{ usage: { input: 7, cost: { total: 0.25 } } }]);
});

const ways = {
	"user messages as follow-ups": (text: string) => `pi.sendUserMessage("${text}", { deliverAs: "followUp" })`,
	"user messages": (text: string) => `pi.sendUserMessage("${text}")`,
	"messages of an extension": (text: string) =>
		`pi.sendMessage({ customType: "more", content: "${text}", display: true }, { deliverAs: "followUp", triggerTurn: true })`,
};

test.each(Object.entries(ways))("%s that agent_end sends go out one a turn", async (_, send) => {
	await using fixture = await extensionFixture(
		{ steps: ["First.", "Second.", "Third."] },
		{
			files: {
				"a.ts": `let once = true;
				export default (pi) => pi.on("agent_end", () => {
					if (!once) return;
					once = false;
					${send("follow one")};
					${send("follow two")};
				});`,
			},
		},
	);
	await fixture.prompt("go");
	await fixture.session.waitForIdle();
	expect(fixture.request(1)).toContain("follow one");
	expect(fixture.request(1)).not.toContain("follow two");
	expect(fixture.request(2)).toContain("follow two");
});
