/** Without a user, every call of the user interface is harmless. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { extensionFixtureWith } from "../../../../test/support/extensions.ts";
import { headlessUI } from "./headless.ts";

test("all calls are harmless, dialogs return nothing or false, and hasUI is false", async () => {
	const names = Object.entries(headlessUI(() => {})).flatMap(([name, member]) =>
		typeof member === "function" ? [name] : [],
	);
	const source = `export default (pi) => pi.registerCommand("all", { async handler(_args, ctx) {
		const given = {};
		for (const name of ${JSON.stringify(names)}) given[name] = await ctx.ui[name]("a", ["b"]);
		ctx.ui.notify(JSON.stringify([ctx.hasUI, ctx.mode, ctx.ui.theme.fg("accent", "plain"), given]));
	} });`;
	await using fixture = await extensionFixtureWith(playModel)({ steps: [] }, { files: { "a.ts": source } });
	await fixture.prompt("/all");
	// `notify` is one of them, and reaches standard error.
	const [first, last] = fixture.shown;
	expect(first).toBe("notify: a");
	expect(JSON.parse(last?.slice("notify: ".length) ?? "")).toEqual([
		false,
		"print",
		"plain",
		{
			confirm: false,
			getEditorText: "",
			getAllThemes: [],
			setTheme: { success: false, error: "There is no screen in this mode." },
			getToolsExpanded: false,
		},
	]);
	expect(names).toHaveLength(28);
});
