/** The active tools have one owner: extensions, the user and the settings each hide some, and none undoes another's. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import {
	type ExtensionFixture,
	type ExtensionFixtureOptions,
	extensionFixtureWith,
} from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

/** `/only a,b` is setActiveTools, `/same` sets what is active now, `/bring` and `/take` register and unregister a tool. */
const chooser = `export default (pi) => {
	const tool = (name, more = {}) => ({ name, label: name, description: name, parameters: { type: "object" },
		execute: async () => ({ content: [] }), ...more });
	pi.registerCommand("only", { handler: (args) => pi.setActiveTools(args.split(",")) });
	pi.registerCommand("same", { handler: () => pi.setActiveTools(pi.getActiveTools()) });
	pi.registerCommand("bring", { handler: (args) => pi.registerTool(tool(args, { promptSnippet: "is brought" })) });
	pi.registerCommand("shy", { handler: (args) => pi.registerTool(tool(args, { defaultActive: false })) });
	pi.registerCommand("all", { handler: (_, ctx) => ctx.ui.notify(pi.getAllTools().map(({ name }) => name).join(" ")) });
};`;

async function open(options: ExtensionFixtureOptions = {}): Promise<ExtensionFixture> {
	return await extensionFixture({ steps: ["Ok."] }, { files: { "chooser.ts": chooser }, ...options });
}

function active({ session }: ExtensionFixture): string {
	return session.state.tools.map(({ name }) => name).join(" ");
}

function userHides({ session }: ExtensionFixture, ...names: string[]): void {
	session.tools?.hide("user", names);
}

test("regression: setActiveTools does not restore tools that the user disabled", async () => {
	await using fixture = await open();
	userHides(fixture, "bash");
	expect(active(fixture)).toBe("read write");
	await fixture.prompt("/only read,bash");
	expect(active(fixture)).toBe("read");
	await fixture.prompt("/only read,write,bash");
	expect(active(fixture)).toBe("read write");
	userHides(fixture);
	expect(active(fixture)).toBe("read write bash");
});

test("an extension that sets the active tools again does not decide about tools that the user hides", async () => {
	await using fixture = await open();
	userHides(fixture, "bash");
	await fixture.prompt("/same");
	userHides(fixture);
	expect(active(fixture)).toBe("read write bash");
});

test("the user does not restore what an extension hides, and vice versa", async () => {
	await using fixture = await open();
	await fixture.prompt("/only read,write");
	userHides(fixture, "write");
	userHides(fixture);
	expect(active(fixture)).toBe("read write");
});

test("regression: setActiveTools neither restores nor lists tools that the settings disable", async () => {
	await using fixture = await open({ settings: "tools:\n  disabled: [bash, deploy]\n" });
	await fixture.prompt("/bring deploy");
	await fixture.prompt("/only read,bash,deploy");
	expect(active(fixture)).toBe("read");
	await fixture.prompt("/all");
	expect(fixture.shown).toEqual(["notify: read write"]);
});

test("nobody can restore a tool that a policy hides", async () => {
	await using fixture = await open();
	fixture.session.tools?.hide("policy", ["bash"]);
	await fixture.prompt("/only read,write,bash");
	userHides(fixture);
	expect(active(fixture)).toBe("read write");
});

test("a tool registered later is active at once, and one that is inactive by default waits to be activated", async () => {
	await using fixture = await open();
	await fixture.prompt("/only read");
	await fixture.prompt("/bring late");
	await fixture.prompt("/shy quiet");
	expect(active(fixture)).toBe("read late");
	await fixture.prompt("/only read,quiet");
	expect(active(fixture)).toBe("read quiet");
});

test("regression: the system prompt follows the tools also without an extension", async () => {
	await using fixture = await open();
	const all = fixture.session.state.systemPrompt;
	userHides(fixture, "bash", "read", "write");
	const without = fixture.session.state.systemPrompt;
	expect(without.length).toBeLessThan(all.length);
	userHides(fixture);
	expect(fixture.session.state.systemPrompt).toBe(all);
	await fixture.prompt("/bring late");
	expect(fixture.session.state.systemPrompt).toContain("- late: is brought");
	userHides(fixture, "late");
	expect(fixture.session.state.systemPrompt).not.toContain("is brought");
});
