/** The keys of the selectors, besides those of every list; names are pi's where pi has one. */
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
	"app.models.favorite": key("models", "ctrl+f", "Toggle favorite model"),
	"app.models.save": key("models", "ctrl+s", "Set as the default model"),
	"app.models.thinking": key("models", "ctrl+t", "Change the thinking level"),
	"app.session.togglePath": key("sessions", "ctrl+p", "Show session paths"),
	"app.session.toggleSort": key("sessions", "ctrl+s", "Change the sort order"),
	"app.session.toggleNamedFilter": key("sessions", "ctrl+n", "Only named sessions"),
	"app.session.searchText": key("sessions", "ctrl+t", "Search all text"),
	"app.session.rename": key("sessions", "ctrl+r", "Rename the session"),
	"app.session.pin": key("sessions", "alt+p", "Pin or unpin the session"),
	"app.session.archive": key("sessions", "alt+a", "Archive or unarchive the session"),
	"app.session.delete": key("sessions", "ctrl+d", "Move the session to the trash"),
	"app.settings.unset": key("settings", "ctrl+d", "Reset the setting in this scope"),
	"app.tree.foldOrUp": key("tree", ["ctrl+left", "alt+left"], "Fold the branch, or go to its start"),
	"app.tree.unfoldOrDown": key("tree", ["ctrl+right", "alt+right"], "Unfold the branch, or go to its end"),
	"app.tree.editLabel": key("tree", "shift+l", "Label the entry"),
	"app.tree.toggleLabelTimestamp": key("tree", "shift+t", "Show label times"),
	"app.tree.filter.default": key("tree", "alt+d", "Show the conversation"),
	"app.tree.filter.noTools": key("tree", "alt+t", "Hide tool results"),
	"app.tree.filter.userOnly": key("tree", "alt+u", "Show only user messages"),
	"app.tree.filter.labeledOnly": key("tree", "alt+l", "Show only labeled entries"),
	"app.tree.filter.all": key("tree", "alt+a", "Show everything"),
	"app.tree.filter.cycleForward": key("tree", "ctrl+o", "Next filter"),
	"app.tree.filter.cycleBackward": key("tree", "shift+ctrl+o", "Previous filter"),
	"app.context.drop": key("context", "ctrl+d", "Drop the item from the context, or bring it back"),
	"app.jobs.terminal": key("jobs", "ctrl+t", "Type into the job's terminal"),
	"app.jobs.end": key("jobs", "ctrl+d", "Kill the job"),
	"app.agents.stop": key("agents", "ctrl+d", "Stop the agent and those below it"),
	"app.agents.steer": key("agents", "ctrl+s", "Send the agent a message now"),
	"app.agents.followUp": key("agents", "ctrl+f", "Ask the agent something more"),
	"app.agents.session": key("agents", "ctrl+r", "Continue in the session of the agent"),
	"app.agents.new": key("agents", "ctrl+n", "Create a type of agent"),
	"app.grants.revoke": key("permissions", "ctrl+d", "Revoke what was allowed"),
	"app.review.fix": key("review", "ctrl+f", "Put the finding into the prompt"),
	"app.review.fixAll": key("review", "ctrl+a", "Put all findings into the prompt"),
	"app.terminal.leave": key("terminal", "ctrl+]", "Return the keys to the editor"),
	"app.todo.save": key("todo", "ctrl+s", "Save the list"),
} as const satisfies Record<`app.${string}`, KeybindingDefinition>;

export type SelectorAction = keyof typeof selectorKeybindings;
