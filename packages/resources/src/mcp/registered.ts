/** The MCP servers that the extensions of a session have registered; they are in no file. */
import { onDispose } from "@tau/utils";

import { checkServerName, parseServer } from "./parse-config.ts";
import type { McpServerConfig } from "./types.ts";

/** As pi shows one to extensions. */
export interface RegisteredMcpServer {
	name: string;
	/** As the extension has written it. */
	config: Record<string, unknown>;
	/** The extension. */
	extensionPath: string;
}

interface Row extends RegisteredMcpServer {
	parsed: McpServerConfig;
}

export class RegisteredServers {
	readonly #rows = new Map<string, Row>();
	readonly #listeners = new Set<() => void>();

	/** Replaces an earlier one of the same extension. Throws what is wrong with it. */
	register(name: string, config: Record<string, unknown>, extensionPath: string): void {
		const problem = checkServerName(String(name));
		if (problem !== undefined) throw new Error(problem);
		const known = this.#rows.get(name);
		if (known && known.extensionPath !== extensionPath)
			throw new Error(`The MCP server ${name} is registered by ${known.extensionPath}.`);
		const parsed = parseServer(config);
		if (!parsed.ok) throw new Error(`The MCP server ${name} is invalid: ${parsed.message}.`);
		this.#rows.set(name, { name, config, extensionPath, parsed: parsed.config });
		this.#changed();
	}

	/** Those of other extensions stay. */
	unregister(name: string, extensionPath: string): void {
		if (this.#rows.get(name)?.extensionPath !== extensionPath) return;
		this.#rows.delete(name);
		this.#changed();
	}

	/** For extensions. */
	list(): RegisteredMcpServer[] {
		return [...this.#rows.values()].map(({ name, config, extensionPath }) => ({
			name,
			config,
			extensionPath,
		}));
	}

	get servers(): readonly { name: string; config: McpServerConfig; extensionPath: string }[] {
		return [...this.#rows.values()].map(({ name, parsed, extensionPath }) => ({
			name,
			config: parsed,
			extensionPath,
		}));
	}

	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	#changed(): void {
		for (const listener of this.#listeners) listener();
	}
}
