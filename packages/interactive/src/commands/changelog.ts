/** `/changelog`: what has changed in Tau. */
import { Markdown, markdownTheme } from "@tau/tui";

import { plural } from "../views/format.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import type { SlashCommand } from "./command.ts";

export const changelog: SlashCommand = {
	name: "changelog",
	group: "Setup",
	description: "Show what's new in Tau",
	async run(_, host) {
		// Part of the program, and read by few.
		const { default: text } = await import("../../../../CHANGELOG.md", { with: { type: "text" } });
		// Links into the repository lead nowhere from here; their text names the page.
		const shown = text.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, "$1");
		host.print(
			report(host.theme, (width, theme) => {
				const rows = new Markdown(shown, 0, 0, markdownTheme(theme)).render(width);
				const more = rows.length - limits.changelogRows;
				if (more <= 0) return rows;
				const note = theme.fg("dim", `… ${plural(more, "more row")} in CHANGELOG.md`);
				return [...rows.slice(0, limits.changelogRows), note];
			}),
		);
	},
};
