/** Extensions that are no file: a function of a program is loaded like any other. */
import type { ExtensionFactory } from "@tau/extensions/api";
import type { DiscoveredExtension } from "@tau/extensions/load";

/** pi's way to give one a name. */
export type InlineExtension = ExtensionFactory | { name?: string; factory: ExtensionFactory };

export function inlineExtension(inline: InlineExtension, index: number): DiscoveredExtension {
	const factory = typeof inline === "function" ? inline : inline.factory;
	const name = typeof inline === "function" ? factory.name : inline.name;
	const path = `<inline:${name || index + 1}>`;
	const sourceInfo = { path, source: "inline", scope: "temporary", origin: "top-level" } as const;
	return { path, sourceInfo, load: async () => factory };
}
