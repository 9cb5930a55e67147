/** `memory://root`: what past sessions of the project taught, and its documents. */
import { oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

export function memoryUrls(cwd: string): UrlHandler {
	return {
		form: "root[/MEMORY.md]",
		about: "notes from earlier sessions",
		async resolve(rest, { settings }) {
			const tokens = settings.get("memories.summaryInjectionTokenLimit");
			// Loaded on use: most sessions never look.
			const { Memory, memoryDirectories } = await import("@tau/session/memory");
			using memory = new Memory(memoryDirectories(cwd));
			const text = memory.document(rest, tokens);
			if (text !== undefined) return { ok: true, text };
			const known = memory.addresses();
			const shown = oneLine(rest, limits.shownChars);
			if (known.length > 0)
				return {
					ok: false,
					reason: `There is no memory://${shown}. Available: ${known.slice(0, limits.listed).join(", ")}.`,
				};
			const why = settings.get("memories.enabled")
				? "Nothing is remembered yet."
				: "Memory is off (memories.enabled).";
			return { ok: false, reason: `There is no memory://${shown}. ${why}` };
		},
	};
}
