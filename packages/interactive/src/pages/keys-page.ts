/** The page about the keys, made from the tables of actions. */
import { TUI_KEYBINDINGS, type KeybindingDefinition } from "@tau/tui";

import { appKeybindings } from "../keys.ts";
import { selectorKeybindings } from "../selectors/keys.ts";
import template from "./keys.md" with { type: "text" };
import { table } from "./table.ts";

/** In the order in which a reader needs them. */
const titles: readonly (readonly [context: string, title: string])[] = [
	["application", "Everywhere"],
	["editor", "In the editor"],
	["list", "In lists"],
	["tabs", "In lists with tabs"],
	["models", "In /model"],
	["sessions", "In /resume"],
	["settings", "In /settings"],
	["tree", "In /tree"],
	["jobs", "In /jobs"],
	["todo", "In /todo edit"],
	["context", "In /context"],
	["agents", "In /agents"],
	["permissions", "In /permissions"],
	["review", "In /review"],
	["terminal", "In a terminal of the model"],
];

/** What `docs/keys.md` holds. */
export function keysPage(): string {
	const all: [string, KeybindingDefinition][] = Object.entries({
		...appKeybindings,
		...TUI_KEYBINDINGS,
		...selectorKeybindings,
	});
	const known = new Map(titles);
	const contexts = [...new Set([...known.keys(), ...all.map(([, { context = "" }]) => context)])];
	const parts = contexts.map((context) => {
		const own = all.filter(([, definition]) => definition.context === context);
		const rows = own.map(([name, { defaultKeys, description = "" }]) => [
			keysOf(defaultKeys),
			description,
			`\`${name}\``,
		]);
		return `## ${known.get(context) ?? context}\n\n${table(["keys", "what they do", "action"], rows)}`;
	});
	return `${template.trim().replace("{{keys}}", () => parts.join("\n\n"))}\n`;
}

function keysOf(keys: KeybindingDefinition["defaultKeys"]): string {
	const all = typeof keys === "string" ? [keys] : keys;
	return all.length === 0 ? "–" : all.map((key) => `\`${key}\``).join(", ");
}
