/** The files that a call was judged by: it reaches these, and what may be touched without a question. */
import { join, relative } from "node:path";

import type { JudgedPaths } from "@tau/agent";

import type { CallItem, FileItem } from "./call-items.ts";
import type { Opinion } from "./judge.ts";
import { isWithin } from "./real-path.ts";

export interface PathJudge {
	/** Judges one path without links, as it would be judged if the call had named it. */
	opinionOf(kind: "read" | "write", real: string): Opinion;
	/** Whether a change that nobody can be asked about is made. */
	readonly isUnanswered: boolean;
}

export class CallPaths implements JudgedPaths {
	readonly #items: readonly FileItem[];
	/** The call may change something that it does not name: that was allowed as a whole. */
	readonly #isBroad: boolean;
	readonly #judge: PathJudge;
	/** The states that the user has seen; undefined for a file that did not exist. */
	readonly #stamps = new Map<string, string | undefined>();
	#isShown = false;
	#end = (): void => {};

	constructor(items: readonly CallItem[], judge: PathJudge) {
		// What a command touches is contained by a sandbox, or judged as the command.
		this.#items = items.filter((item) => isFile(item)).filter(({ byCommand }) => !byCommand);
		this.#isBroad = items.some(isBroad);
		this.#judge = judge;
	}

	/** Below a tree that the call names, a path is taken to have no further links: if it has, that is found at its use. */
	realPath(path: string): string | undefined {
		const named = this.#items.find(({ paths }) => paths[0] === path);
		if (named) return named.paths.at(-1);
		for (const { isTree, paths } of this.#items) {
			const [given, real = given] = paths;
			if (isTree && given !== undefined && real !== undefined && isWithin(path, given))
				return join(real, relative(given, path));
		}
		return undefined;
	}

	allows(kind: "read" | "write", real: string): boolean {
		const named = this.#items.filter((item) => kind === "read" || item.kind === "write");
		if (named.some(({ paths }) => paths.includes(real))) return true;
		const opinion = this.#judge.opinionOf(kind, real);
		// Whoever has approved to read a protected directory sees what is in it.
		if (kind === "read" && opinion.verdict !== "allow" && this.#isBelowProtected(real)) return true;
		if (opinion.verdict !== "ask") return opinion.verdict === "allow";
		if (kind === "read" || opinion.cause !== "mode") return false;
		const isBelow = named.some(({ isTree, paths }) => isTree && isWithin(real, paths.at(-1) ?? "/"));
		return isBelow || this.#isBroad || (this.#judge.isUnanswered && opinion.runsUnanswered);
	}

	#isBelowProtected(real: string): boolean {
		return this.#items.some(({ paths }) => {
			const root = paths.at(-1);
			return (
				root !== undefined && isWithin(real, root) && this.#judge.opinionOf("read", root).verdict !== "allow"
			);
		});
	}

	/** Until the user has seen a preview, what is read is remembered; afterwards it must be the same. */
	accepts(real: string, stamp: string | undefined): boolean {
		if (this.#isShown) return !this.#stamps.has(real) || this.#stamps.get(real) === stamp;
		this.#stamps.set(real, stamp);
		return true;
	}

	changed(real: string): void {
		this.#stamps.delete(real);
	}

	/** Called at the end of the call, or of the command that it has started. */
	endWith(end: () => void): void {
		this.#end = end;
	}

	runs(ended: Promise<unknown>): void {
		const end = this.#end;
		this.#end = () => {};
		void ended.then(end, end);
	}

	ended(): void {
		this.#end();
	}

	/** The preview is complete: the call runs with the files that it was made from. */
	shown(): void {
		this.#isShown = true;
	}

	/** The files whose state differs from the one that another preview was made from. */
	changedSince(other: CallPaths): string[] {
		const paths = new Set([...this.#stamps.keys(), ...other.#stamps.keys()]);
		return [...paths].filter((path) => this.#stamps.get(path) !== other.#stamps.get(path));
	}
}

function isBroad(item: CallItem): boolean {
	return item.kind === "run" || item.kind === "unknown" || (item.kind === "tool" && item.tier !== "read");
}

function isFile(item: CallItem): item is FileItem {
	return item.kind === "read" || item.kind === "write";
}
