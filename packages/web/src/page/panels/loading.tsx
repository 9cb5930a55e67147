/** What stands in a panel until it has its content. */
import type { JSX } from "preact";

import type { Loaded } from "./use-loaded.ts";

export function Loading({ from }: { from: Pick<Loaded<unknown>, "data" | "error"> }): JSX.Element | null {
	if (from.error !== undefined)
		return (
			<p class="notice notice-error" role="alert">
				{from.error}
			</p>
		);
	return from.data === undefined ? <p class="muted pulse">Loading…</p> : null;
}
