/** A view context with mu, which is the default. */
import { condensedLook } from "@tau/bundled";
import type { ViewContext } from "../views/view-context.ts";
import { testViewContext, type TestViewContext } from "./view-context.ts";

export function condensedViewContext(
	more: Partial<ViewContext> = {},
	isCondensed = (): boolean => true,
): TestViewContext {
	// Nothing was shortened here, so nothing is looked up.
	return testViewContext({ findRenderer: condensedLook(isCondensed, () => []), ...more });
}
