/** The rules of one ignore file, arranged so that a path is looked up instead of compared with every rule. */
import { parseIgnoreLine, type IgnoreRule } from "./ignore-pattern.ts";

/** The verdict of a file on a path; undefined if no rule applies. */
export type Verdict = "ignored" | "kept" | undefined;

interface PlacedRule extends IgnoreRule {
	/** The later of two rules wins. */
	place: number;
}

export class IgnoreFile {
	readonly #names = new Map<string, PlacedRule[]>();
	readonly #paths = new Map<string, PlacedRule[]>();
	readonly #suffixes = new Map<string, PlacedRule[]>();
	/** Last first: the first rule that matches decides. */
	readonly #globs: PlacedRule[] = [];
	#hasPathRules = false;

	constructor(text: string) {
		for (const [place, line] of text
			.replace(/^\ufeff/, "")
			.split("\n")
			.entries()) {
			const rule = parseIgnoreLine(line);
			if (rule) this.#add({ ...rule, place });
		}
		this.#globs.reverse();
	}

	get isEmpty(): boolean {
		return this.#names.size + this.#paths.size + this.#suffixes.size + this.#globs.length === 0;
	}

	/** `directory` leads from this file to the directory of `name`; it is empty, or may end with a slash. */
	verdict(directory: string, name: string, isDirectory: boolean): Verdict {
		let best = later(undefined, this.#names.get(name), isDirectory);
		// The path is built only for rules about paths: most files have none.
		const path = this.#hasPathRules ? joined(directory, name) : name;
		if (this.#paths.size > 0) best = later(best, this.#paths.get(path), isDirectory);
		if (this.#suffixes.size > 0) best = this.#bySuffix(best, name, isDirectory);
		for (const rule of this.#globs) {
			if (best && best.place > rule.place) break;
			if (rule.directoryOnly && !isDirectory) continue;
			if (rule.match.by === "glob" && rule.match.glob.match(rule.isPath ? path : name)) {
				best = rule;
				break;
			}
		}
		return best && (best.negated ? "kept" : "ignored");
	}

	#bySuffix(best: PlacedRule | undefined, name: string, isDirectory: boolean): PlacedRule | undefined {
		let rule = best;
		for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
			rule = later(rule, this.#suffixes.get(name.slice(dot)), isDirectory);
		}
		return rule;
	}

	#add(rule: PlacedRule): void {
		const { match, isPath } = rule;
		this.#hasPathRules ||= isPath;
		// A suffix is looked up by the last name; a rule with a path has to match below this directory itself.
		if (match.by === "glob" || (match.by === "suffix" && isPath)) {
			const glob = match.by === "suffix" ? new Bun.Glob(`*${quoted(match.text)}`) : match.glob;
			this.#globs.push({ ...rule, match: { by: "glob", glob } });
			return;
		}
		const table = match.by === "suffix" ? this.#suffixes : isPath ? this.#paths : this.#names;
		const rules = table.get(match.text);
		if (rules) rules.push(rule);
		else table.set(match.text, [rule]);
	}
}

function later(
	best: PlacedRule | undefined,
	rules: readonly PlacedRule[] | undefined,
	isDirectory: boolean,
): PlacedRule | undefined {
	if (!rules) return best;
	const last = isDirectory ? rules.at(-1) : rules.findLast((rule) => !rule.directoryOnly);
	return last && (!best || last.place > best.place) ? last : best;
}

function joined(directory: string, name: string): string {
	return directory === "" || directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

function quoted(text: string): string {
	return text.replace(/[{}!^\]]/g, "\\$&");
}
