/** The entry point `@tau/extensions/ui`. */
export { askAll, inTurn } from "./ask-dialog.ts";
export { headlessUI, printMode } from "./headless.ts";
export { plainTheme } from "./plain-theme.ts";
export { sharedUI, type UIPlace, type UIPlaces } from "./shared-ui.ts";
export { ShownParts, type ShownChange } from "./shown-parts.ts";
export type {
	AskDialogQuestion,
	AskDialogResult,
	AutocompleteFactory,
	ComponentFactory,
	CustomFactory,
	CustomOptions,
	DialogOptions,
	EditorFactory,
	ExtensionUI,
	FooterData,
	FooterFactory,
	NotifyType,
	SelectItem,
	TerminalInputHandler,
	WidgetOptions,
	WidgetPlacement,
	WorkingIndicatorOptions,
} from "./types.ts";
export { UIRequestClient } from "./request-client.ts";
