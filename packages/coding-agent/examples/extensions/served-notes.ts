/** Offers NOTES.md as a resource and a prompt to agents that use Tau as an MCP server (`tau mcp serve`). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

export default function servedNotes(pi: ExtensionAPI) {
	pi.on("mcp_serve", ({ server }, ctx) => {
		const notes = () => readFile(join(ctx.cwd, "NOTES.md"), "utf8").catch(() => "There are no notes.");
		server.registerResource("notes", "notes://project", { mimeType: "text/markdown" }, async (uri) => ({
			contents: [{ uri: uri.href, text: await notes() }],
		}));
		server.registerPrompt("notes", { description: "Work by the notes of the project" }, async () => ({
			messages: [{ role: "user", content: { type: "text", text: `Mind these notes:\n${await notes()}` } }],
		}));
	});
}
