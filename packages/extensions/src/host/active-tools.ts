/** The tools that extensions have chosen: their layer of the registry. A list without pi's writing tools is read-only. */
import type { ToolRegistry } from "@tau/tools/registry";

import { fileWriters } from "../events/equivalent-calls.ts";

interface Choice {
	/** By name; also of tools that are registered later. */
	readonly hidden: ReadonlySet<string>;
	readonly isReadOnly: boolean;
}

export class ActiveTools {
	readonly #registry: ToolRegistry;
	/** Whether extensions have registered a tool: those that do decide what their list may do. */
	readonly #isOwn: (name: string) => boolean;
	#choice: Choice = { hidden: new Set(), isReadOnly: false };

	constructor(registry: ToolRegistry, isOwn: (name: string) => boolean) {
		this.#registry = registry;
		this.#isOwn = isOwn;
	}

	get state(): Choice {
		return this.#choice;
	}

	/** Activates or deactivates one tool and leaves the others as they are. */
	set(name: string, isActive: boolean): void {
		const hidden = new Set(this.#choice.hidden);
		if (isActive) hidden.delete(name);
		else hidden.add(name);
		this.#use({ ...this.#choice, hidden });
	}

	/**
	 * Hides the tools that the list does not name. Names that no tool has are passed over, and what another layer hides
	 * stays as it was, so that a list of the active tools can be set again without any effect.
	 */
	choose(names: readonly string[]): void {
		const wanted = new Set(names);
		const before = this.#choice;
		const hidden = this.#registry.entries.filter(({ tool: { name }, hiddenBy, isDeferred }) => {
			if (wanted.has(name)) return false;
			if (before.hidden.has(name)) return true;
			// It is not active, and the model can still search for it; or a read-only list withholds it, not its absence here.
			if (isDeferred || this.#isWithheld(name, before)) return false;
			return hiddenBy.length === 0;
		});
		this.#use({
			hidden: new Set(hidden.map(({ tool }) => tool.name)),
			isReadOnly: this.#takesWritingAway(wanted),
		});
	}

	/** Restores what a choice has changed, and keeps what has changed since. */
	undo(before: Choice, during: Choice): void {
		const restored = this.#choice.hidden.difference(during.hidden.difference(before.hidden));
		this.#use({
			hidden: restored.union(before.hidden.difference(during.hidden)),
			isReadOnly: before.isReadOnly,
		});
	}

	/** A session that could not write before, by its settings or its user, is as it was. */
	#takesWritingAway(wanted: ReadonlySet<string>): boolean {
		const available = this.#registry.entries.filter(
			({ tool: { name }, hiddenBy }) =>
				fileWriters.includes(name) && hiddenBy.every((layer) => layer === "extension"),
		);
		return available.length > 0 && !fileWriters.some((name) => wanted.has(name));
	}

	/**
	 * A read-only list leaves tools that read, tools of extensions and, of those that run programs, the ones that it names
	 * and that the model need not search for: handlers of `tool_call` see what these run.
	 */
	#isWithheld(name: string, { isReadOnly }: Choice): boolean {
		const registered = isReadOnly && !this.#isOwn(name) ? this.#registry.registration(name) : undefined;
		if (!registered) return false;
		const { tool, source, isDeferred } = registered;
		if (tool.approval === "read") return false;
		return tool.approval === "write" || isDeferred || source.startsWith("mcp:");
	}

	#use(choice: Choice): void {
		this.#choice = choice;
		this.#registry.hide("extension", (name) => choice.hidden.has(name) || this.#isWithheld(name, choice));
	}
}
