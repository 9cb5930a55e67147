/** Picks tools by their names, and says which one was meant when there is none of that name. */
import { nearest } from "@tau/utils";
import type { Settings } from "@tau/session/settings";

import type { BuiltinTool } from "../tool/define-tool.ts";

export type ToolChoice = { ok: true; tools: BuiltinTool[] } | { ok: false; message: string };

/** All of them when no names are given; else in their own order, not in that of the names. */
export function chooseTools(
	tools: readonly BuiltinTool[],
	wanted: readonly string[] | undefined,
): ToolChoice {
	const names = tools.map((tool) => tool.name);
	for (const name of wanted ?? []) {
		if (names.includes(name)) continue;
		const [near] = nearest(name, names);
		const hint = near ? `Did you mean ${near}?` : `Tools: ${names.join(", ")}`;
		return { ok: false, message: `There is no tool "${name}". ${hint}` };
	}
	return { ok: true, tools: tools.filter(({ name }) => wanted === undefined || wanted.includes(name)) };
}

/** What the settings leave of them. A name that neither a tool has nor one of `others` is told and means nothing. */
export function toolsBySettings(
	tools: readonly BuiltinTool[],
	settings: Pick<Settings, "get">,
	onNotice: (message: string) => void,
	others: readonly string[] = [],
): BuiltinTool[] {
	const [enabled, disabled] = [settings.get("tools.enabled"), settings.get("tools.disabled")];
	const names = [...tools.map(({ name }) => name), ...others];
	for (const name of [...enabled, ...disabled].filter((wanted) => !names.includes(wanted))) {
		const [near] = nearest(name, names);
		onNotice(`The settings name an unknown tool "${name}"${near ? `; did you mean ${near}?` : "."}`);
	}
	return tools.filter(
		({ name }) => (enabled.length === 0 || enabled.includes(name)) && !disabled.includes(name),
	);
}
