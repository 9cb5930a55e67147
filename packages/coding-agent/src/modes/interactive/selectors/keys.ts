/** The keys of the selectors, beside those of every list; names are pi's where pi has one. */
import type { KeybindingDefinition, KeyId } from "@tau/tui";

declare module "@tau/tui" {
	interface Keybindings extends Record<SelectorAction, true> {}
}

function key(
	context: string,
	defaultKeys: KeyId | readonly KeyId[],
	description: string,
): KeybindingDefinition {
	return { defaultKeys, description, context };
}

export const selectorKeybindings = {
	"app.list.nextTab": key("tabs", "tab", "Next tab"),
	"app.list.previousTab": key("tabs", "shift+tab", "Previous tab"),
	"app.models.favourite": key("models", "ctrl+f", "Make the model a favourite, or no longer"),
	"app.models.save": key("models", "ctrl+s", "Begin with this model from now on"),
	"app.session.togglePath": key("sessions", "ctrl+p", "Show where the sessions lie"),
	"app.session.toggleSort": key("sessions", "ctrl+s", "Sort the sessions in another way"),
	"app.session.toggleNamedFilter": key("sessions", "ctrl+n", "Only sessions that have a name"),
	"app.session.searchText": key("sessions", "ctrl+t", "Search all that was said"),
	"app.session.rename": key("sessions", "ctrl+r", "Rename the session"),
	"app.session.delete": key("sessions", "ctrl+d", "Move the session to the trash"),
	"app.settings.unset": key("settings", "ctrl+d", "Take the setting out of this layer"),
	"app.tree.foldOrUp": key("tree", ["ctrl+left", "alt+left"], "Fold the branch, or go to where it begins"),
	"app.tree.unfoldOrDown": key(
		"tree",
		["ctrl+right", "alt+right"],
		"Unfold the branch, or go to where it ends",
	),
	"app.tree.editLabel": key("tree", "shift+l", "Label the entry"),
	"app.tree.toggleLabelTimestamp": key("tree", "shift+t", "Show when labels were given"),
	"app.tree.filter.default": key("tree", "alt+d", "Show the conversation"),
	"app.tree.filter.noTools": key("tree", "alt+t", "Hide results of tools"),
	"app.tree.filter.userOnly": key("tree", "alt+u", "Only what you said"),
	"app.tree.filter.labeledOnly": key("tree", "alt+l", "Only what has a label"),
	"app.tree.filter.all": key("tree", "alt+a", "Show everything"),
	"app.tree.filter.cycleForward": key("tree", "ctrl+o", "Next filter"),
	"app.tree.filter.cycleBackward": key("tree", "shift+ctrl+o", "Previous filter"),
	"app.jobs.end": key("jobs", "ctrl+d", "End the job"),
	"app.todo.save": key("todo", "ctrl+s", "Keep the list as it is written"),
} as const satisfies Record<`app.${string}`, KeybindingDefinition>;

export type SelectorAction = keyof typeof selectorKeybindings;
