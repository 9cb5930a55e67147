/** Which tools are active has one answer: extensions, the user and the settings each have a say, and none undoes another's. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { type ExtensionStage, type StageOptions, stageWith } from "../../../../test/support/extensions.ts";

const extensionStage = stageWith(playModel);

/** `/only a,b` is setActiveTools, `/same` sets what is active now, `/bring` and `/take` a tool of its own. */
const chooser = `export default (pi) => {
	const tool = (name, more = {}) => ({ name, label: name, description: name, parameters: { type: "object" },
		execute: async () => ({ content: [] }), ...more });
	pi.registerCommand("only", { handler: (args) => pi.setActiveTools(args.split(",")) });
	pi.registerCommand("same", { handler: () => pi.setActiveTools(pi.getActiveTools()) });
	pi.registerCommand("bring", { handler: (args) => pi.registerTool(tool(args, { promptSnippet: "is brought" })) });
	pi.registerCommand("shy", { handler: (args) => pi.registerTool(tool(args, { defaultActive: false })) });
	pi.registerCommand("all", { handler: (_, ctx) => ctx.ui.notify(pi.getAllTools().map(({ name }) => name).join(" ")) });
};`;

async function open(options: StageOptions = {}): Promise<ExtensionStage> {
	return await extensionStage({ steps: ["Ok."] }, { files: { "chooser.ts": chooser }, ...options });
}

function active({ session }: ExtensionStage): string {
	return session.state.tools.map(({ name }) => name).join(" ");
}

function userHides({ session }: ExtensionStage, ...names: string[]): void {
	session.tools?.hide("user", names);
}

test("regression: setActiveTools does not bring back what the user switched off", async () => {
	await using stage = await open();
	userHides(stage, "bash");
	expect(active(stage)).toBe("read write");
	await stage.prompt("/only read,bash");
	expect(active(stage)).toBe("read");
	await stage.prompt("/only read,write,bash");
	expect(active(stage)).toBe("read write");
	userHides(stage);
	expect(active(stage)).toBe("read write bash");
});

test("an extension that sets the active tools again has not decided about those that the user hides", async () => {
	await using stage = await open();
	userHides(stage, "bash");
	await stage.prompt("/same");
	userHides(stage);
	expect(active(stage)).toBe("read write bash");
});

test("the user does not undo what an extension hides, and the other way round", async () => {
	await using stage = await open();
	await stage.prompt("/only read,write");
	userHides(stage, "write");
	userHides(stage);
	expect(active(stage)).toBe("read write");
});

test("regression: setActiveTools does not bring back what the settings left out, and does not see it", async () => {
	await using stage = await open({ settings: "tools:\n  disabled: [bash, deploy]\n" });
	await stage.prompt("/bring deploy");
	await stage.prompt("/only read,bash,deploy");
	expect(active(stage)).toBe("read");
	await stage.prompt("/all");
	expect(stage.shown).toEqual(["notify: read write"]);
});

test("what a policy hides nobody brings back", async () => {
	await using stage = await open();
	stage.session.tools?.hide("policy", ["bash"]);
	await stage.prompt("/only read,write,bash");
	userHides(stage);
	expect(active(stage)).toBe("read write");
});

test("a tool that comes later is active at once, and one that is shy waits to be asked for", async () => {
	await using stage = await open();
	await stage.prompt("/only read");
	await stage.prompt("/bring late");
	await stage.prompt("/shy quiet");
	expect(active(stage)).toBe("read late");
	await stage.prompt("/only read,quiet");
	expect(active(stage)).toBe("read quiet");
});

test("regression: the system prompt follows the tools also where no extension touches them", async () => {
	await using stage = await open();
	const all = stage.session.state.systemPrompt;
	userHides(stage, "bash", "read", "write");
	const without = stage.session.state.systemPrompt;
	expect(without.length).toBeLessThan(all.length);
	userHides(stage);
	expect(stage.session.state.systemPrompt).toBe(all);
	await stage.prompt("/bring late");
	expect(stage.session.state.systemPrompt).toContain("- late: is brought");
	userHides(stage, "late");
	expect(stage.session.state.systemPrompt).not.toContain("is brought");
});
