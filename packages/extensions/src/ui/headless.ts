/** The user interface without a user: dialogs are not answered, and nothing is shown. */
import type { ExtensionMode } from "../api/mode.ts";
import { plainTheme } from "./plain-theme.ts";
import type { ExtensionUI } from "./types.ts";

const nothing = (): void => {};

/** `notify` may still reach the user, on standard error. */
export function headlessUI(notify: ExtensionUI["notify"]): ExtensionUI {
	return {
		select: async () => undefined,
		confirm: async () => false,
		input: async () => undefined,
		editor: async () => undefined,
		askDialog: async () => undefined,
		timeoutStartsOnPresentation: true,
		// As in pi, callers must expect undefined from a custom component here.
		custom: async <T>() => undefined as T,
		notify,
		setStatus: nothing,
		setWidget: nothing,
		setFooter: nothing,
		setHeader: nothing,
		setTitle: nothing,
		setWorkingMessage: nothing,
		setWorkingVisible: nothing,
		setWorkingIndicator: nothing,
		setHiddenThinkingLabel: nothing,
		setEditorText: nothing,
		getEditorText: () => "",
		pasteToEditor: nothing,
		setEditorComponent: nothing,
		getEditorComponent: () => undefined,
		addAutocompleteProvider: nothing,
		onTerminalInput: () => nothing,
		theme: plainTheme,
		getAllThemes: () => [],
		getTheme: () => undefined,
		setTheme: () => ({ success: false, error: "There is no screen in this mode." }),
		getToolsExpanded: () => false,
		setToolsExpanded: nothing,
	};
}

/** Print mode, and every mode before its UI exists. The program ends by itself. */
export function printMode(
	notify: (message: string) => void,
	kind: "print" | "json" = "print",
): ExtensionMode {
	return {
		kind,
		ui: headlessUI((message) => notify(message)),
		hasUI: false,
		source: "interactive",
		shutdown: nothing,
	};
}
