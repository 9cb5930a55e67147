/** `/changelog`: what has changed in Tau. */
import { join } from "node:path";

import { Markdown, markdownTheme } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import type { SlashCommand } from "./command.ts";

/** Beside the sources; a compiled Tau has none. */
const file = join(import.meta.dir, "../../../../../../CHANGELOG.md");

export const changelog: SlashCommand = {
	name: "changelog",
	description: "What has changed in Tau",
	async run(_, host) {
		const log = Bun.file(file);
		if (!(await log.exists())) return host.notify("This version of Tau brings no changelog along.");
		const text = stripControls(await log.slice(0, limits.changelogBytes).text());
		host.print(
			report(host.theme, (width, theme) =>
				new Markdown(text, 0, 0, markdownTheme(theme)).render(width).slice(0, limits.changelogRows),
			),
		);
	},
};
