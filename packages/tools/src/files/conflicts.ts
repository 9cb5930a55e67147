/** Merge conflicts that the model has seen, by number, so that it can resolve one without writing its markers again. */
import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { limits } from "./limits.ts";

/** One conflict as git leaves it in a file. */
export interface ConflictBlock {
	/** The line of its first marker, from 1. */
	line: number;
	/** All lines, from the first marker to the last. */
	lines: string[];
	ours: string[];
	/** The common base of both sides, where git is configured to write it. */
	base: string[] | undefined;
	theirs: string[];
}

export interface Conflict extends ConflictBlock {
	id: number;
	/** The model's name for the file. */
	path: string;
	absolute: string;
}

/** The text has line feeds only. A partial conflict is not one. */
export function findConflicts(text: string): ConflictBlock[] {
	if (!text.includes("<<<<<<< ")) return [];
	const conflictBlocks: ConflictBlock[] = [];
	let open: Reading | undefined;
	for (const [index, line] of text.split("\n").entries()) {
		if (line.startsWith("<<<<<<< ")) {
			open = { line: index + 1, lines: [line], part: "ours", ours: [], theirs: [] };
		} else if (open) {
			open.lines.push(line);
			if (readLine(open, line)) continue;
			const { part: _, base, ...block } = open;
			if (open.part === "theirs") conflictBlocks.push({ ...block, base });
			open = undefined;
		}
	}
	return conflictBlocks;
}

interface Reading extends Omit<ConflictBlock, "base"> {
	part: "ours" | "base" | "theirs";
	base?: string[];
}

/** False at the last marker. */
function readLine(open: Reading, line: string): boolean {
	if (line.startsWith(">>>>>>> ")) return false;
	if (line.startsWith("||||||| ") && open.part === "ours") {
		open.part = "base";
		open.base = [];
	} else if (line === "=======" && open.part !== "theirs") open.part = "theirs";
	else (open.part === "base" ? (open.base ??= []) : open[open.part]).push(line);
	return true;
}

export class Conflicts {
	readonly #known = new Map<number, Conflict>();
	#next = 1;

	/** The whole text of a file: a conflict that is known already keeps its number, one that is gone loses it. */
	record(path: string, absolute: string, text: string): Conflict[] {
		const known = this.all().filter((conflict) => conflict.absolute === absolute);
		for (const { id } of known) this.#known.delete(id);
		const found = findConflicts(text).map((block) => {
			const same = known.findIndex((conflict) => conflict.lines.join("\n") === block.lines.join("\n"));
			const id = same < 0 ? this.#next++ : (known.splice(same, 1)[0]?.id ?? this.#next++);
			return { ...block, id, path, absolute };
		});
		for (const conflict of found) this.#known.set(conflict.id, conflict);
		for (const id of this.#known.keys()) if (this.#known.size > limits.conflicts) this.#known.delete(id);
		return found;
	}

	get(id: number): Conflict | undefined {
		return this.#known.get(id);
	}

	/** True if conflicts were read and none of them is left. */
	get areResolved(): boolean {
		return this.#next > 1 && this.#known.size === 0;
	}

	all(): Conflict[] {
		return [...this.#known.values()];
	}
}

const serviceKey: ServiceKey<Conflicts> = { name: "merge conflicts", create: () => new Conflicts() };

/** Those that the model has read so far. */
export function knownConflicts({ services }: Partial<Pick<ToolEnv, "services">>): readonly Conflict[] {
	return services?.peek(serviceKey)?.all() ?? [];
}

export function conflictsOf(env: ToolEnv): Conflicts {
	return env.services.get(serviceKey, env);
}
