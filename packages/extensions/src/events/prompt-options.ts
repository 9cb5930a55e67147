/** The system prompt of a run while handlers of `before_agent_start` change it: its text, and the options behind it. */
import { log } from "@tau/utils";

import { plainData } from "../support/plain-data.ts";
import type { BuildSystemPromptOptions } from "../api/event-types.ts";

export class PromptDraft {
	/** One object for all handlers: each sees what those before it have set, and may set more. */
	readonly options: BuildSystemPromptOptions;
	readonly #build: (options: BuildSystemPromptOptions) => string;
	#built: string;
	#builtFrom: string;
	#text: string;
	#active: ReadonlySet<string>;

	/** `text` is the prompt that these options have made; `build` makes another when they change. */
	constructor(
		text: string,
		options: BuildSystemPromptOptions,
		build: (options: BuildSystemPromptOptions) => string,
	) {
		this.options = options;
		this.#build = build;
		this.#built = text;
		this.#text = text;
		this.#builtFrom = snapshot(options);
		this.#active = new Set(options.selectedTools);
	}

	/** The tools that handlers have selected for this run; undefined if these are the active ones. */
	get chosenTools(): string[] | undefined {
		// Extensions are not always typed.
		const selected: unknown = this.options.selectedTools;
		if (!Array.isArray(selected)) return undefined;
		const names = selected.filter((name) => typeof name === "string");
		return new Set(names).symmetricDifference(this.#active).size === 0 ? undefined : names;
	}

	/** The tools that requests do not declare. */
	get hiddenTools(): string[] {
		const hidden: unknown = this.options.hiddenTools;
		return Array.isArray(hidden) ? hidden.filter((name) => typeof name === "string") : [];
	}

	/** A handler has changed the active tools themselves: the options follow. */
	useTools(current: BuildSystemPromptOptions): void {
		const { selectedTools, toolSnippets, toolGuidelines } = current;
		Object.assign(this.options, { selectedTools, toolSnippets, toolGuidelines });
		this.#active = new Set(selectedTools);
	}

	/** What the model would read now, without `sections` and `forceSystemPrompt`. */
	get text(): string {
		const current = snapshot(this.options);
		if (current !== this.#builtFrom) {
			this.#builtFrom = current;
			const built = this.#build(this.options);
			// Most handlers return the prompt with an addition; a complete replacement is used unchanged.
			this.#text = this.#text.replace(this.#built, () => built);
			this.#built = built;
		}
		return this.#text;
	}

	/** A handler answered with another prompt. */
	set text(text: string) {
		this.#text = text;
	}

	/** `forceSystemPrompt` replaces the whole prompt; otherwise each section follows it in a tag of its own. */
	get finished(): string {
		const { forceSystemPrompt, sections } = this.options;
		if (typeof forceSystemPrompt === "string") return forceSystemPrompt;
		// Extensions are not always typed.
		const added = Object.entries(sections ?? {}).filter(([name, text]: [string, unknown]) => {
			const isSection = tagName.test(name) && typeof text === "string";
			if (!isSection) log.warn("a system prompt section was skipped", { name });
			return isSection;
		});
		return [this.text, ...added.map(([name, text]) => `<${name}>\n${text}\n</${name}>`)].join("\n\n");
	}
}

/** The names of tags that sections can have. */
const tagName = /^[A-Za-z][\w-]*$/;

/** What the prompt is built from. */
function snapshot(options: BuildSystemPromptOptions): string {
	const { sections: _, forceSystemPrompt: __, ...rest } = options;
	return JSON.stringify(plainData(rest));
}
