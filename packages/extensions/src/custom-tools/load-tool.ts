/** Loads what was found in a directory of tools, as an extension that has them. */
import { importFactory } from "../support/import-module.ts";
import type { ExtensionFactory } from "../api/types.ts";
import { DescriptionCache } from "./description-cache.ts";
import type { ToolHost } from "./host.ts";
import { moduleTools } from "./module-tools.ts";
import { programTool } from "./program-tool.ts";

/** A module whose factory gives tools, or a program that is one. */
export type ToolKind = "module" | "program";

export class ToolLoader {
	readonly #host: ToolHost;
	readonly #cache: DescriptionCache;

	constructor(host: ToolHost) {
		this.#host = host;
		this.#cache = new DescriptionCache(host.cacheDir);
	}

	/** Rejects with the problem of the file. `again` counts earlier loads. */
	async load(path: string, kind: ToolKind, again: number): Promise<ExtensionFactory> {
		if (kind === "program") return programTool(path, this.#host, this.#cache);
		return moduleTools(await importFactory(path, again, this.#host.modules), this.#host);
	}
}
