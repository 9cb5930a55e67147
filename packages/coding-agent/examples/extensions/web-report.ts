/** Lists the files of the project, /files: as text in terminals, as a table and a chart in the browser. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

interface Report {
	files: { name: string; bytes: number }[];
}

export default function webReport(pi: ExtensionAPI) {
	pi.registerCommand("files", {
		description: "List the files of the project",
		handler: (_, { cwd }) => {
			const files = readdirSync(cwd).map((name) => ({ name, bytes: statSync(join(cwd, name)).size }));
			const content = files.map(({ name, bytes }) => `${name}: ${bytes} bytes`).join("\n");
			pi.sendMessage<Report>({ customType: "files", content, display: true, details: { files } });
		},
	});
	pi.web.renderer<Report>("files", ({ details }) => {
		const files = details?.files ?? [];
		const most = Math.max(1, ...files.map(({ bytes }) => bytes));
		// The frame has no network and no access to the page; what is put into it is still escaped.
		const bars = files.map(({ bytes }) => `<i style="width:${Math.ceil((bytes / most) * 100)}%"></i>`);
		return [
			{ type: "markdown", text: "**Files of the project**" },
			{ type: "table", head: ["name", "bytes"], rows: files.map(({ name, bytes }) => [name, String(bytes)]) },
			{
				type: "html",
				title: "Sizes",
				height: 160,
				html: `<style>i{display:block;height:12px;margin:4px;background:#b5651d}</style>${bars.join("")}`,
			},
		];
	});
}
