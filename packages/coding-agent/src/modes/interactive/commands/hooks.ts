/** `/hooks`: the hooks that are configured, where each comes from, and whether it runs. */
import { shortenHome } from "@tau/utils";

import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import type { SlashCommand } from "./command.ts";

export const hooks: SlashCommand = {
	name: "hooks",
	group: "Setup",
	description: "Show the configured hooks and whether they run",
	async run(_, host) {
		const { findHooksOf } = await import("@tau/extensions/assembly");
		const { all } = await findHooksOf({
			isTrusted: true,
			cwd: host.cwd,
			settings: host.settings,
			onNotice: (message) => host.notify(message, "warning"),
		});
		if (all.length === 0)
			return host.notify("No hooks are configured. Add them to hooks in config.yml, or to hooks.json.");
		const rows = all.map(({ event, matcher, command, origin }) => ({
			head: `${event}${matcher === "" || matcher === "*" ? "" : ` (${plain(matcher)})`}`,
			command: plain(command),
			file: shortenHome(origin.path),
			isOn: origin.level !== "project" || host.isTrusted,
		}));
		host.print(
			report(host.theme, (_width, theme) =>
				rows.flatMap(({ head, command, file, isOn }) => [
					`${theme.fg("accent", head)}  ${command}`,
					`  ${theme.fg("muted", file)}`,
					...(isOn ? [] : [`  ${theme.fg("warning", "does not run: the project is not trusted (/trust)")}`]),
				]),
			),
		);
	},
};
