/** `/export`: the session as a file that others can read. */
import { shortenHome } from "@tau/utils";

import type { SlashCommand } from "./command.ts";

export const exportCommand: SlashCommand = {
	name: "export",
	group: "Session",
	argumentHint: "[file.html|.md|.json]",
	description: "Export the session as HTML, Markdown or JSON",
	details:
		"The ending of the file decides about the format: .html, .md or .json. Without a file, an HTML file is written to the current directory.",
	async run(args, host) {
		if (host.log.getLeafId() === null) return host.notify("Nothing to export yet.", "warning");
		// Text and a walk over the tree that few sessions ever need.
		const { exportSession } = await import("@tau/session/export");
		const file = args === "" ? undefined : args;
		const path = await exportSession(host.log, { file, cwd: host.cwd, replace: file === undefined });
		host.notify(`Exported to ${shortenHome(path)}.`, "success");
	},
};
