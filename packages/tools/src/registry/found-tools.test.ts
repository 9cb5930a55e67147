/** Tools that the model finds are declared behind what the provider has cached. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";

import { compactionFixture, look } from "../../../../test/support/compaction.ts";
import { callOf } from "../../../../test/support/extensions.ts";
import { cachedText } from "../../../../test/support/prefix.ts";
import { foundTools } from "./found-tools.ts";
import { searchNotes } from "./search-notes.ts";
import { ToolRegistry } from "./tool-registry.ts";

const findAndUse: Scenario["steps"] = [
	callOf("search_tools", { query: "issues" }),
	callOf("search_issues", { text: "crash" }),
	"Done.",
	"Again.",
];

/** A session whose tools of a server are found by a search; `log` continues another one. */
function withServer(
	played: Awaited<ReturnType<typeof playModel>>,
	log: SessionManager,
	supportsToolReferences: boolean,
) {
	const tools = new ToolRegistry();
	tools.register("custom", [look]);
	tools.addSearchSource({ title: "MCP servers", names: () => ["tracker"] });
	const isResumed = log.getEntries().length > 0;
	const found = ["close_issue", "search_issues"].map((name) => ({ ...look, name }));
	// After a resume the server lists its tools in another order.
	tools.register("mcp:tracker", isResumed ? found.toReversed() : found, { deferred: true });
	const model = { compat: { supportsToolReferences } };
	return compactionFixture(played, {
		log,
		model,
		session: { tools, behaviors: [foundTools(tools)] },
	});
}

test("found tools are declared by the result that names them where the provider can, and nothing is read again", async () => {
	await using played = await playModel({ steps: findAndUse });
	const log = SessionManager.inMemory("/work");
	{
		using on = withServer(played, log, true);
		await on.session.prompt({ text: "find the crash" });
		expect(on.session.prefix.breaks).toEqual([]);
	}
	using on = withServer(played, log, true);
	await on.session.prompt({ text: "and now?" });
	const texts = played.requests.map(cachedText);
	for (const [at, text] of texts.slice(1).entries()) expect(text).toStartWith(texts[at] ?? "");
	const last = played.requests.at(-1)?.rawBody ?? "";
	expect(last).toContain('{"type":"tool_reference","tool_name":"search_issues"}');
	expect(last.match(/"defer_loading":true/g)).toHaveLength(2);
});

test("found tools come last where it cannot, which is a recorded cause, and stay in their order after a resume", async () => {
	await using played = await playModel({ steps: findAndUse });
	const log = SessionManager.inMemory("/work");
	{
		using on = withServer(played, log, false);
		await on.session.prompt({ text: "find the crash" });
		expect(on.session.prefix.breaks).toMatchObject([{ request: 2, cause: "tools" }]);
		expect(on.session.prefix.breaks[0]?.tokens).toBeGreaterThan(0);
	}
	using on = withServer(played, log, false);
	await on.session.prompt({ text: "and now?" });
	const texts = played.requests.slice(1).map(cachedText);
	for (const [at, text] of texts.slice(1).entries()) expect(text).toStartWith(texts[at] ?? "");
});

test("a server that is added or removed during a session is a note at the end, and nothing is read again", async () => {
	await using played = await playModel({ steps: ["One.", "Two.", "Three.", "Four."] });
	const tools = new ToolRegistry();
	tools.register("custom", [look]);
	tools.addSearchSource({ names: () => ["browser (web pages)"] });
	const titled = (names: string[]) => tools.addSearchSource({ title: "MCP servers", names: () => names });
	using on = compactionFixture(played, { session: { tools, behaviors: [searchNotes(tools)] } });
	await on.session.prompt({ text: "first" });
	const added = titled(["tracker"]);
	await on.session.prompt({ text: "second" });
	await on.session.prompt({ text: "third" });
	added[Symbol.dispose]();
	await on.session.prompt({ text: "fourth" });
	const texts = played.requests.map(cachedText);
	for (const [at, text] of texts.slice(1).entries()) expect(text).toStartWith(texts[at] ?? "");
	expect(texts[1]).toContain("have changed. New: MCP servers tracker.");
	expect(texts[2]?.match(/have changed/g)).toHaveLength(1);
	expect(texts[3]?.match(/have changed/g)).toHaveLength(2);
	expect(on.session.prefix.breaks).toEqual([]);
});
