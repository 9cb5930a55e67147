/** `/settings`: every setting, where it comes from, and the way to change it, in a list. */
import { settings as row } from "@tau/session-commands/rows";
import { openSelector } from "../selectors/open.ts";
import { SettingsSelector } from "../selectors/settings/selector.ts";
import { onScreen } from "./on-screen.ts";

export const settings = onScreen(row, {
	open(args, host) {
		if (/^[gs]et\s/.test(args)) return false;
		openSelector(host, (screen, close) => {
			const selector = new SettingsSelector(screen, {
				settings: host.settings,
				...(args === "" ? {} : { search: args }),
				known: (path) => (path === "theme" ? host.theme.list().map(({ name }) => name) : []),
				close,
			});
			return { component: selector.component, owns: selector };
		});
		return true;
	},
});
