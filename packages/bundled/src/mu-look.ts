/** mu's look of tool calls without the extension: for a screen that draws a session of another process. */
import {
	describeToolCall,
	Extension,
	rendererFor,
	type BoundRenderer,
	type ExtensionContext,
} from "@tau/extensions/api";
import type { Entry } from "@tau/wire";

import { condensedRenderer } from "./mu/renderer.ts";

const source = { path: "", source: "builtin", scope: "temporary", origin: "top-level" } as const;

/** `entries`: what is known of the branch, where results that were shortened are looked up. */
export function condensedLook(
	isCondensed: () => boolean,
	entries: () => readonly Entry[],
): (toolName: string) => BoundRenderer | undefined {
	const extension = new Extension("<builtin:mu>", source);
	extension.toolRenderers.push({
		names: "*",
		renderer: condensedRenderer({ describeToolCall }, isCondensed),
	});
	const sessionManager = {
		getEntry: (id: string) => entries().find((entry) => entry.id === id),
		getBranchHeads: () => entries(),
	};
	// The renderer reads nothing else of its context.
	const context = { sessionManager } as unknown as ExtensionContext;
	return (name) => rendererFor(name, undefined, [extension], () => context);
}
