/** Names that no tool has are told, with what may have been meant. */
import { expect, test } from "bun:test";
import type { Settings } from "@tau/session/settings";
import { tellUnknownTools, unknownTool } from "./choose-tools.ts";

const known = ["read", "bash"];

function told(enabled: string[], disabled: string[]): string[] {
	const notices: string[] = [];
	const settings = {
		get: (path: string) => (path === "tools.enabled" ? enabled : disabled),
	} as Pick<Settings, "get">;
	tellUnknownTools(known, settings, (message) => void notices.push(message));
	return notices;
}

test("a name in the settings that no tool has is reported", () => {
	expect(told(["read"], ["bash"])).toEqual([]);
	expect(told([], ["bsah"])).toEqual(['The settings name an unknown tool "bsah"; did you mean bash?']);
	expect(told(["nothing-like-it"], [])).toEqual(['The settings name an unknown tool "nothing-like-it".']);
});

test("a name that a run asks for is refused, with the near one or with all that there are", () => {
	expect(unknownTool(known, ["read", "bash"])).toBeUndefined();
	expect(unknownTool(known, ["raed"])).toBe('There is no tool "raed". Did you mean read?');
	expect(unknownTool(known, ["nothing-like-it"])).toBe(
		'There is no tool "nothing-like-it". Tools: read, bash',
	);
});
