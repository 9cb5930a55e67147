/** `/export`: the session as a file that others can read. */
import { shortenHome } from "@tau/utils";

import type { SlashCommand } from "./command.ts";

export const exportCommand: SlashCommand = {
	name: "export",
	group: "Session",
	argumentHint: "[file.html|.md|.json|.ipynb]",
	description: "Export the session as HTML, Markdown, JSON or a notebook",
	details:
		"The ending of the file decides about the format: .html, .md, .json or .ipynb, a Jupyter notebook with the cells of Python. Without a file, an HTML file is written to the current directory.",
	async run(args, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to export yet.", "warning");
		// Text and a walk over the tree that few sessions ever need.
		const { exportSession } = await import("@tau/session/export");
		const file = args === "" ? undefined : args;
		const path = await exportSession(host.log, { file, cwd: host.cwd, replace: file === undefined });
		host.notify(`Exported to ${shortenHome(path)}.`, "success");
	},
};
