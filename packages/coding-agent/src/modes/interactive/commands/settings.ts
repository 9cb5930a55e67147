/** `/settings`: every setting, where it comes from, and the way to change it. */
import { settingPaths } from "@tau/session/settings";

import { openSelector } from "../selectors/open.ts";
import { SettingsSelector } from "../selectors/settings/selector.ts";
import type { SlashCommand } from "./command.ts";

export const settings: SlashCommand = {
	name: "settings",
	aliases: ["config"],
	group: "Setup",
	argumentHint: "[search]",
	description: "Open settings",
	complete: (prefix) =>
		settingPaths.filter((path) => path.startsWith(prefix)).map((path) => ({ value: path, label: path })),
	run(args, host) {
		openSelector(host, (screen, close) => {
			const selector = new SettingsSelector(screen, {
				settings: host.settings,
				...(args === "" ? {} : { search: args }),
				known: (path) => (path === "theme" ? host.theme.list().map(({ name }) => name) : []),
				close,
			});
			return { component: selector.component, owns: selector };
		});
	},
};
