/** Unknown tool names are reported, with suggestions. */
import { expect, test } from "bun:test";
import type { Settings } from "@tau/config/settings";
import { reportUnknownTools, unknownTool } from "./choose-tools.ts";

const known = ["read", "bash"];

function noticesFor(enabled: string[], disabled: string[]): string[] {
	const notices: string[] = [];
	const settings = {
		get: (path: string) => (path === "tools.enabled" ? enabled : disabled),
	} as Pick<Settings, "get">;
	reportUnknownTools(known, settings, (message) => void notices.push(message));
	return notices;
}

test("an unknown name in the settings is reported", () => {
	expect(noticesFor(["read"], ["bash"])).toEqual([]);
	expect(noticesFor([], ["bsah"])).toEqual(['The settings name an unknown tool "bsah"; did you mean bash?']);
	expect(noticesFor(["nothing-like-it"], [])).toEqual([
		'The settings name an unknown tool "nothing-like-it".',
	]);
});

test("an unknown name on the command line is rejected, with the nearest or all names", () => {
	expect(unknownTool(known, ["read", "bash"])).toBeUndefined();
	expect(unknownTool(known, ["raed"])).toBe('There is no tool "raed". Did you mean read?');
	expect(unknownTool(known, ["nothing-like-it"])).toBe(
		'There is no tool "nothing-like-it". Tools: read, bash',
	);
});
