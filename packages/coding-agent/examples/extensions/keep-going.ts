/** Does not let the model stop while TODO.md has open boxes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

export default function keepGoing(pi: ExtensionAPI) {
	pi.on("session_stop", async ({ stop_hook_active }, ctx) => {
		// Remind once: more would be a loop.
		if (stop_hook_active) return undefined;
		const text = await readFile(join(ctx.cwd, "TODO.md"), "utf8").catch(() => "");
		const open = text.split("\n").filter((line) => line.startsWith("- [ ]"));
		if (open.length === 0) return undefined;
		return { continue: true, additionalContext: `TODO.md has open items:\n${open.join("\n")}` };
	});
}
