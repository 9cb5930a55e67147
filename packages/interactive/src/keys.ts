/** The keys of the application, over those of the terminal's components; names are pi's. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { isRecord } from "@tau/utils";
import {
	KeybindingsManager,
	readKeybindings,
	TUI_KEYBINDINGS,
	type KeybindingDefinition,
	type KeybindingsConfig,
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
	"app.interrupt": action("escape", "Interrupt"),
	"app.clear": action("ctrl+c", "Clear the editor; press twice to exit"),
	"app.exit": action("ctrl+d", "Exit when the editor is empty"),
	"app.suspend": action(suspend, "Suspend (`fg` to resume)"),
	"app.draft.stash": action("ctrl+s", "Stash the draft, or bring it back"),
	"app.command.background": action("ctrl+b", "Move the running command to the background"),
	"app.screen.redraw": action("ctrl+l", "Redraw the screen"),
	"app.editor.external": action("ctrl+g", "Edit the prompt in $VISUAL or $EDITOR"),
	"app.clipboard.pasteImage": action(pasteImage, "Paste an image"),
	"app.dialog.focus": action("ctrl+x", "Answer the question that waits above the editor"),
	"app.dialog.amend": action("tab", "Change the call before allowing it"),
	"app.message.followUp": action("alt+enter", "Queue a follow-up message"),
	"app.message.dequeue": action("alt+up", "Edit the last queued message"),
	"app.tools.expand": action("ctrl+o", "Toggle tool output"),
	"app.thinking.toggle": action("ctrl+t", "Toggle thinking"),
	"app.approval.cycle": action("shift+tab", "Cycle the approval mode"),
	"app.thinking.cycle": action("alt+m", "Cycle the thinking level"),
	"app.model.cycleForward": action("ctrl+p", "Switch to the next model"),
	"app.model.cycleBackward": action("shift+ctrl+p", "Switch to the previous model"),
	"app.model.select": action([], "Select a model"),
	"app.offer.accept": action("alt+i", "Accept what is offered above the editor"),
	"app.offer.never": action("alt+x", "Never offer it again"),
	"app.agents.open": action("alt+a", "Show the agents"),
	"app.session.new": action([], "Start a new session"),
	"app.session.tree": action([], "Open the session tree"),
	"app.session.fork": action([], "Branch from an earlier message"),
	"app.session.resume": action([], "Resume a previous session"),
} as const satisfies Record<`app.${string}`, KeybindingDefinition>;

export type AppAction = keyof typeof appKeybindings;

export const appActions = Object.keys(appKeybindings) as AppAction[];

/** Former names of actions, which files may still have. */
const oldActions: Readonly<Record<string, keyof typeof selectorKeybindings>> = {
	"app.models.favourite": "app.models.favorite",
};

/** Actions that are commands under another name. */
export const commandOf: Partial<Record<AppAction, string>> = {
	"app.model.select": "model",
	"app.agents.open": "agents",
	"app.session.new": "new",
	"app.session.tree": "tree",
	"app.session.fork": "fork",
	"app.session.resume": "resume",
};

export function newKeys(): KeybindingsManager {
	return new KeybindingsManager({ ...TUI_KEYBINDINGS, ...appKeybindings, ...selectorKeybindings });
}

export interface LoadedKeys {
	/** What is wrong with the file. */
	problems: string[];
	/** The preset edits as vim does. */
	isVim: boolean;
}

/** Reads `keybindings.yml`, else pi's `keybindings.json`, into the manager. */
export async function loadKeys(keys: KeybindingsManager, agentDir: string): Promise<LoadedKeys> {
	for (const name of ["keybindings.yml", "keybindings.json"]) {
		const text = readIfThere(join(agentDir, name));
		if (text === undefined) continue;
		const parsed = await parse(name, text);
		if (typeof parsed === "string") return { problems: [parsed], isVim: false };
		const { preset, own } = presetOf(parsed.value);
		const definitions = { ...TUI_KEYBINDINGS, ...appKeybindings, ...selectorKeybindings };
		const { config, problems } = readKeybindings(own, definitions, oldActions);
		if (typeof preset === "string") problems.push(preset);
		else keys.setUserBindings({ ...preset, ...config });
		const shared = keys
			.getConflicts()
			.map(({ key, keybindings }) => `${key} is ${keybindings.join(" and ")}`);
		const all = [...problems, ...shared.map((line) => `keybindings: ${line}`)];
		return { problems: all, isVim: preset === keyPresets.vim };
	}
	keys.setUserBindings({});
	return { problems: [], isVim: false };
}

/** The keys of other programs, where their users would press the wrong one; the file's own keys win. */
export const keyPresets: Readonly<Record<"pi" | "claude" | "codex" | "emacs" | "vim", KeybindingsConfig>> = {
	pi: {
		"app.thinking.cycle": ["shift+tab"],
		"app.approval.cycle": ["alt+m"],
		"app.model.select": ["ctrl+l"],
		"app.screen.redraw": [],
		"app.command.background": [],
	},
	claude: {
		"app.model.select": ["alt+p"],
		"app.thinking.toggle": ["alt+t"],
	},
	codex: {
		"app.tools.expand": ["ctrl+t", "ctrl+o"],
		"app.thinking.toggle": ["alt+t"],
	},
	emacs: {
		"tui.editor.cursorUp": ["up", "ctrl+p"],
		"tui.editor.cursorDown": ["down", "ctrl+n"],
		"tui.editor.pageUp": ["pageUp", "alt+v"],
		"tui.editor.pageDown": ["pageDown", "ctrl+v"],
		"tui.editor.undo": ["ctrl+/", "ctrl+-", "ctrl+_"],
		"tui.select.up": ["up", "ctrl+p"],
		"tui.select.down": ["down", "ctrl+n"],
		"tui.select.cancel": ["escape", "ctrl+c", "ctrl+g"],
		"app.interrupt": ["escape", "ctrl+g"],
		"app.editor.external": ["alt+e"],
		"app.clipboard.pasteImage": ["ctrl+alt+v"],
		"app.command.background": ["alt+z"],
		"app.model.cycleForward": ["alt+n"],
		"app.model.cycleBackward": ["alt+p"],
		"app.session.togglePath": ["alt+o"],
		"app.session.toggleNamedFilter": ["alt+n"],
		"app.agents.new": ["alt+n"],
	},
	vim: {
		"tui.select.up": ["up", "ctrl+k"],
		"tui.select.down": ["down", "ctrl+j"],
		"tui.select.pageUp": ["pageUp", "ctrl+b"],
	},
};

/** `preset: claude`, and what else is in the file. */
function presetOf(value: unknown): { preset: KeybindingsConfig | string; own: unknown } {
	if (!isRecord(value) || value.preset === undefined) return { preset: {}, own: value };
	const { preset: name, ...own } = value;
	const found = Object.entries(keyPresets).find(([known]) => known === name)?.[1];
	const known = Object.keys(keyPresets).join(", ");
	const unknown = `keybindings: there is no preset ${JSON.stringify(name)}; there are ${known}`;
	return { preset: found ?? unknown, own };
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// Most users have no such file.
		return undefined;
	}
}

async function parse(name: string, text: string): Promise<{ value: unknown } | string> {
	try {
		if (name.endsWith(".json")) return { value: JSON.parse(text) };
		// The parser is slow to load, so it is imported only for users who have the file.
		const { parse: parseYaml } = await import("yaml");
		return { value: parseYaml(text) };
	} catch (error) {
		return `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
	}
}
