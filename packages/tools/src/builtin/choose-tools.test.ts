/** Which tools a model gets is chosen by name: by the run, else by the settings. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Settings } from "@tau/session/settings";

import { testPlace } from "../../../../test/support/place.ts";
import { builtinTools } from "./index.ts";
import { chooseTools, toolsBySettings } from "./choose-tools.ts";

async function bySettings(yaml: string): Promise<{ names: string[]; notices: string[] }> {
	await using place = await testPlace();
	const agentDir = join(place.cwd, "agent");
	await Bun.write(join(agentDir, "config.yml"), yaml);
	const settings = await Settings.load({ cwd: place.cwd, agentDir });
	const notices: string[] = [];
	const tools = toolsBySettings(builtinTools, settings, (message) => void notices.push(message));
	return { names: tools.map(({ name }) => name), notices };
}

const all = builtinTools.map(({ name }) => name);

test("without a word all of them", async () => {
	expect(await bySettings("")).toEqual({ names: all, notices: [] });
	const choice = chooseTools(builtinTools, undefined);
	expect(choice.ok && choice.tools.length).toBe(all.length);
});

test("only those that are enabled, and never those that are disabled", async () => {
	expect((await bySettings("tools:\n  enabled: [bash, read]\n")).names).toEqual(["read", "bash"]);
	expect((await bySettings("tools:\n  disabled: [bash]\n")).names).toEqual(
		all.filter((name) => name !== "bash"),
	);
	expect((await bySettings("tools:\n  enabled: [bash, read]\n  disabled: [bash]\n")).names).toEqual(["read"]);
});

test("a name that no tool has is told, with what may have been meant", async () => {
	const { names, notices } = await bySettings("tools:\n  disabled: [bsah]\n");
	expect(names).toEqual(all);
	expect(notices).toEqual(['The settings name an unknown tool "bsah"; did you mean bash?']);
});

test("a run that names a tool that is not there is refused", () => {
	expect(chooseTools(builtinTools, ["raed"])).toEqual({
		ok: false,
		message: 'There is no tool "raed". Did you mean read?',
	});
});
