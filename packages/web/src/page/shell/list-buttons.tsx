/** The buttons at the start of a bar that lead to the list of sessions: back on a phone, its switch beside it. */
import type { JSX } from "preact";

import { IconButton } from "../parts/icon.tsx";
import { sidebarShown } from "../store/preferences.ts";
import { goTo } from "../store/route.ts";

export function ListButtons(): JSX.Element {
	return (
		<>
			<IconButton class="bar-back" icon="back" label="All sessions" onClick={() => goTo({ name: "home" })} />
			<IconButton
				class="bar-sidebar"
				icon="sidebar"
				label="Show or hide the list"
				onClick={() => (sidebarShown.value = !sidebarShown.value)}
			/>
		</>
	);
}
