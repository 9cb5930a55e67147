/** Virtual models: selected like any other, and the extension routes every request. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith, type ExtensionFixture } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const router = (route: string, more = ""): Record<string, string> => ({
	"a.ts": `export default (pi) => {
		pi.registerVirtualModel({ provider: "router", id: "auto", name: "Auto", thinkingLevels: ["low", "high"], route: ${route} });
		${more}
	};`,
});

const played = `ctx.modelRegistry.find("played", "played-1")`;

function lastAnswer({ session }: ExtensionFixture) {
	const last = session.state.messages.findLast(({ role }) => role === "assistant");
	return last?.role === "assistant" ? last : undefined;
}

test("the virtual model stays selected, the answer names the actual model, and route reasons are reported", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "true" }), "Done.", "Again."] },
		{
			files: router(
				`(request, ctx) => {
					ctx.ui.notify([request.reason, request.thinkingLevel, request.previous?.model.id, request.messages[0].role].join(" "));
					return { model: ${played}, thinkingLevel: "high" };
				}`,
			),
			model: "router/auto",
		},
	);
	await fixture.prompt("go");
	await fixture.prompt("on");
	expect(fixture.shown).toEqual([
		"notify: user off  system",
		"notify: continuation off played-1 system",
		"notify: user off played-1 system",
	]);
	expect(fixture.session.model).toMatchObject({ provider: "router", id: "auto" });
	expect(lastAnswer(fixture)).toMatchObject({ provider: "played", model: "played-1", stopReason: "stop" });
});

test("a retry carries the failed answer, and a summary is not routed", async () => {
	await using fixture = await extensionFixture(
		{ steps: [{ fault: { http: 529 } }, "One.", "Two.", "The summary."] },
		{
			files: router(
				`(request, ctx) => {
					ctx.ui.notify(request.reason + " " + (request.failed?.message.stopReason ?? ""));
					return { model: ${played} };
				}`,
			),
			model: "router/auto",
			retries: 1,
			autoCompaction: false,
		},
	);
	await fixture.prompt("go ".repeat(2000));
	await fixture.prompt("on ".repeat(2000));
	await fixture.session.compact();
	expect(fixture.shown).toEqual(["notify: user ", "notify: retry error", "notify: user ", "notify: direct "]);
});

test("a router's state follows the branch, and is stored in the session", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two.", "Three."] },
		{
			files: router(
				`({ state = { count: 0 } }, ctx) => {
					ctx.ui.notify("count " + state.count);
					return { model: ${played}, state: state.count < 2 ? { count: state.count + 1 } : state };
				}`,
			),
			model: "router/auto",
		},
	);
	await fixture.prompt("one");
	const { length } = fixture.log.getEntries();
	await fixture.prompt("two");
	const first = fixture.log.getEntries()[length - 1];
	fixture.log.branch(first?.id ?? "");
	await fixture.prompt("three");
	expect(fixture.shown).toEqual(["notify: count 0", "notify: count 1", "notify: count 1"]);
});

test("a route that throws, leads nowhere or cycles fails the answer, and the next prompt works", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Fine."] },
		{
			files: router(
				`({ messages }, ctx) => {
					const said = JSON.stringify(messages.at(-1));
					if (said.includes("throw")) throw new Error("no idea");
					if (said.includes("nowhere")) return {};
					if (said.includes("circle")) return { model: ctx.model };
					return { model: ${played} };
				}`,
			),
			model: "router/auto",
		},
	);
	const failures: (string | undefined)[] = [];
	for (const text of ["throw", "nowhere", "circle"]) {
		await fixture.prompt(text);
		failures.push(lastAnswer(fixture)?.errorMessage);
	}
	expect(failures).toEqual([
		expect.stringContaining("no idea"),
		expect.stringContaining("found no model"),
		expect.stringContaining("also virtual"),
	]);
	await fixture.prompt("well");
	expect(lastAnswer(fixture)?.content).toEqual([expect.objectContaining({ text: "Fine." })]);
});

test("it has the levels that it names, disappears when unregistered, and cannot replace a real model", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: router(
				`(_, ctx) => ({ model: ${played} })`,
				`pi.registerCommand("go", { handler(args, ctx) {
					const there = () => ctx.modelRegistry.find("router", "auto");
					ctx.ui.notify(there().name + " " + ctx.modelRegistry.hasConfiguredAuth(there()) + " " + there().thinkingLevelMap.medium);
					pi.unregisterVirtualModel("router", "auto");
					ctx.ui.notify(String(there()));
					try { pi.registerVirtualModel({ provider: "played", id: "played-1", route: () => ({}) }); } catch ({ message }) { ctx.ui.notify(message); }
				} });`,
			),
		},
	);
	await fixture.prompt("/go");
	expect(fixture.shown).toEqual([
		"notify: Auto true null",
		"notify: undefined",
		"notify: Model played/played-1 already exists and is not virtual.",
	]);
});
