/** `/debug`: what somebody needs who helps with a problem. */
import { dirs } from "@tau/utils";

import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

export const debug: SlashCommand = {
	name: "debug",
	description: "What Tau runs with, for a report of a problem",
	run(_, host) {
		const { terminal } = host.tui;
		const memory = Math.round(process.memoryUsage.rss() / 1024 / 1024);
		const features = terminal.features;
		host.print(
			linesBlock(host, [
				["bun", Bun.version],
				["system", `${process.platform} ${process.arch}`],
				[
					"terminal",
					`${terminal.columns}x${terminal.rows} ${process.env.TERM ?? ""} ${process.env.TERM_PROGRAM ?? ""}`,
				],
				["colours", host.theme.current.getColorMode()],
				["theme", `${host.theme.name} (${host.theme.current.name})`],
				["keyboard", terminal.kittyProtocolActive ? "kitty protocol" : "legacy"],
				["features", features ? JSON.stringify(features) : "unknown"],
				["memory", `${memory} MB`],
				["redraws", String(host.tui.fullRedraws)],
				["model", `${host.session.model.provider}/${host.session.model.id}`],
				["session", host.log.getSessionFile() ?? "in memory"],
				["logs", dirs().logs],
			]),
		);
	},
};
