/** The setting `discovery.disabled`: what is switched off, by source, by kind, or by name. */

export class Switches {
	readonly #entries: ReadonlySet<string>;

	/** `claude`, `claude/skills`, `skills:pdf-tools`. */
	constructor(entries: readonly string[]) {
		this.#entries = new Set(entries.map((entry) => entry.trim().toLowerCase()));
	}

	/** The entry that switches it off. */
	disables(capability: string, source: string, name?: string): string | undefined {
		const asked = [
			source,
			`${source}/${capability}`,
			...(name === undefined ? [] : [`${capability}:${name}`]),
		];
		return asked.find((entry) => this.#entries.has(entry.toLowerCase()));
	}

	/** Entries that mean nothing: a slip would go unnoticed. */
	unknown(sources: readonly string[], capabilities: readonly string[]): string[] {
		return [...this.#entries].filter((entry) => {
			const [, source = "", capability] = /^([^/:]+)(?:\/(.+))?$/.exec(entry) ?? [];
			if (sources.includes(source)) return capability !== undefined && !capabilities.includes(capability);
			const [kind = "", name] = entry.split(/:(.*)/s);
			return !(capabilities.includes(kind) && name);
		});
	}
}
