/** Shows entries that an extension stores and renders itself as transcript messages, which no model receives. */
import type { EntryRenderer, MessageRenderer } from "@tau/extensions/api";
import type { Entry, WireMessage } from "@tau/wire";

/** What an extension stores in the session, as its renderers get it. */
export type ShownEntry = Parameters<EntryRenderer>[0];
type CustomMessage = Extract<WireMessage, { role: "custom" }>;

const prefix = "entry:";

/** The name of the kind. */
export function entryKind(customType: string): string {
	return prefix + customType;
}

export function entryMessage(entry: ShownEntry | (Entry & { customType: string })): CustomMessage {
	return {
		role: "custom",
		customType: entryKind(entry.customType),
		content: "",
		display: true,
		details: entry,
		timestamp: Date.parse(entry.timestamp),
	};
}

/** Undefined if messages of this kind are not entries. */
export function entryRendererFor(
	kind: string,
	find: (customType: string) => EntryRenderer | undefined,
): MessageRenderer | undefined {
	const renderer = kind.startsWith(prefix) ? find(kind.slice(prefix.length)) : undefined;
	// Only `entryMessage` makes messages of this kind, and an entry is what they hold.
	return renderer && ((message, options, theme) => renderer(message.details as ShownEntry, options, theme));
}
