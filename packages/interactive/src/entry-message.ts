/** Shows entries that an extension stores and renders itself as transcript messages, which no model receives. */
import type { EntryRenderer, MessageRenderer } from "@tau/extensions/api";
import type { CustomEntry, CustomMessage } from "@tau/log";

export type ShownEntry = CustomEntry;

const prefix = "entry:";

/** The name of the kind. */
export function entryKind(customType: string): string {
	return prefix + customType;
}

export function entryMessage(entry: CustomEntry): CustomMessage<CustomEntry> {
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
	return renderer && ((message, options, theme) => renderer(message.details as CustomEntry, options, theme));
}
