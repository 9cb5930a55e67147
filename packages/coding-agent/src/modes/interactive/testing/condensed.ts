/** A view context with mu, which is the default. */
import { describeToolCall, Extension, rendererFor, type ExtensionContext } from "@tau/extensions/api";

import { condensedRenderer } from "../../../bundled/mu/renderer.ts";
import type { ViewContext } from "../views/view-context.ts";
import { testViewContext, type TestViewContext } from "./view-context.ts";

export function condensedViewContext(
	more: Partial<ViewContext> = {},
	isCondensed = (): boolean => true,
): TestViewContext {
	const source = { path: "", source: "builtin", scope: "temporary", origin: "top-level" } as const;
	const extension = new Extension("<builtin:mu>", source);
	extension.toolRenderers.push({
		names: "*",
		renderer: condensedRenderer({ describeToolCall }, isCondensed),
	});
	// Nothing was shortened here, so nothing is looked up.
	const ctx = { sessionManager: { getEntry: () => undefined, getBranchHeads: () => [] } };
	return testViewContext({
		findRenderer: (name) =>
			rendererFor(name, undefined, [extension], () => ctx as unknown as ExtensionContext),
		...more,
	});
}
