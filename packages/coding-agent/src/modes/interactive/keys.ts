/** The keys of the application, over those of the terminal's components; names are pi's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
	KeybindingsManager,
	readKeybindings,
	TUI_KEYBINDINGS,
	type KeybindingDefinition,
	type KeyId,
} from "@tau/tui";

import { selectorKeybindings } from "./selectors/keys.ts";

declare module "@tau/tui" {
	interface Keybindings extends Record<AppAction, true> {}
}

const suspend: readonly KeyId[] = process.platform === "win32" ? [] : ["ctrl+z"];
const pasteImage: KeyId = process.platform === "win32" ? "alt+v" : "ctrl+v";

function action(defaultKeys: KeyId | readonly KeyId[], description: string): KeybindingDefinition {
	return { defaultKeys, description, context: "application" };
}

export const appKeybindings = {
	"app.interrupt": action("escape", "Stop what runs"),
	"app.clear": action("ctrl+c", "Clear the editor; twice to leave"),
	"app.exit": action("ctrl+d", "Leave, when the editor is empty"),
	"app.suspend": action(suspend, "Put Tau aside; `fg` in the shell brings it back"),
	"app.screen.redraw": action("ctrl+l", "Draw the screen anew"),
	"app.editor.external": action("ctrl+g", "Write in $VISUAL or $EDITOR"),
	"app.clipboard.pasteImage": action(pasteImage, "Paste an image"),
	"app.message.followUp": action("alt+enter", "Say it when the answer is finished"),
	"app.message.dequeue": action("alt+up", "Take a waiting message back"),
	"app.tools.expand": action("ctrl+o", "Show results of tools, or hide them"),
	"app.thinking.toggle": action("ctrl+t", "Show what the model thinks, or hide it"),
	"app.thinking.cycle": action("shift+tab", "How much the model thinks"),
	"app.model.cycleForward": action("ctrl+p", "Next model"),
	"app.model.cycleBackward": action("shift+ctrl+p", "Previous model"),
	"app.model.select": action([], "Choose a model"),
	"app.session.new": action([], "New session"),
	"app.session.tree": action([], "The tree of the session"),
	"app.session.fork": action([], "Go on from an earlier message in a new session"),
	"app.session.resume": action([], "Open another session"),
} as const satisfies Record<`app.${string}`, KeybindingDefinition>;

export type AppAction = keyof typeof appKeybindings;

export const appActions = Object.keys(appKeybindings) as AppAction[];

/** Actions that are commands under another name. */
export const commandOf: Partial<Record<AppAction, string>> = {
	"app.model.select": "model",
	"app.session.new": "new",
	"app.session.tree": "tree",
	"app.session.fork": "fork",
	"app.session.resume": "resume",
};

export function newKeys(): KeybindingsManager {
	return new KeybindingsManager({ ...TUI_KEYBINDINGS, ...appKeybindings, ...selectorKeybindings });
}

/** Reads `keybindings.yml`, else pi's `keybindings.json`, into the manager. Gives what is wrong with the file. */
export async function loadKeys(keys: KeybindingsManager, agentDir: string): Promise<string[]> {
	for (const name of ["keybindings.yml", "keybindings.json"]) {
		const text = readIfThere(join(agentDir, name));
		if (text === undefined) continue;
		const parsed = await parse(name, text);
		if (typeof parsed === "string") return [parsed];
		const { config, problems } = readKeybindings(parsed.value, {
			...TUI_KEYBINDINGS,
			...appKeybindings,
			...selectorKeybindings,
		});
		keys.setUserBindings(config);
		const shared = keys
			.getConflicts()
			.map(({ key, keybindings }) => `${key} is ${keybindings.join(" and ")}`);
		return [...problems, ...shared.map((line) => `keybindings: ${line}`)];
	}
	keys.setUserBindings({});
	return [];
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// Most people have none.
		return undefined;
	}
}

async function parse(name: string, text: string): Promise<{ value: unknown } | string> {
	try {
		if (name.endsWith(".json")) return { value: JSON.parse(text) };
		// Only for people who have the file: the parser takes its time to load.
		const { parse: parseYaml } = await import("yaml");
		return { value: parseYaml(text) };
	} catch (error) {
		return `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
	}
}
