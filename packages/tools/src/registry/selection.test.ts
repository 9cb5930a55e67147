/** Tools that the settings disable are hidden, also when the settings change while the session runs. */
import { expect, test } from "bun:test";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { testModel, testSession } from "../../../../test/support/session.ts";
import { builtinTools } from "@tau/integrations/builtin";
import { followSelection, selectionBySettings } from "./selection.ts";
import { ToolRegistry } from "./tool-registry.ts";

test("a change of tools.enabled or tools.disabled takes effect at the next request", async () => {
	await using env = await testToolEnv();
	const registry = new ToolRegistry();
	registry.register(
		"builtin",
		builtinTools.map((tool) => tool.bind(env)),
	);
	const selection = followSelection(registry, selectionBySettings(env.settings), env.settings);
	using session = testSession(testModel(), {
		tools: registry,
		systemPrompt: (tools) => tools.map(({ name }) => name).join(" "),
		behaviors: [selection],
	});
	const names = (): string => session.state.systemPrompt;
	expect(names()).toBe(builtinTools.map(({ name }) => name).join(" "));
	await env.settings.set("tools.enabled", ["bash", "read"], "session");
	expect(names()).toBe("read bash");
	await env.settings.set("tools.disabled", ["bash"], "session");
	expect(names()).toBe("read");
	expect(session.state.tools.map(({ name }) => name)).toEqual(["read"]);
	await env.settings.set("tools.disabled", [], "session");
	await env.settings.set("bash.enabled", false, "session");
	expect(names()).toBe("read");
	await env.settings.set("bash.enabled", true, "session");
	expect(names()).toBe("read bash");
	await env.settings.set("tools.disabled", ["bash"], "session");
	session[Symbol.dispose]();
	await env.settings.set("tools.disabled", [], "session");
	expect(names()).toBe("read");
});

test.each(["bash", "todo", "web_search", "eval"] as const)(
	"%s.enabled: false takes the tool away",
	async (name) => {
		await using env = await testToolEnv();
		const selection = selectionBySettings(env.settings);
		expect(selection.hides(name)).toBe(false);
		await env.settings.set(`${name}.enabled`, false, "session");
		expect(selection.hides(name)).toBe(true);
	},
);
