/** Judges a patch while it streams, by its complete lines: whether it can still be applied. */
import { unify } from "../../files/line-ends.ts";
import { LineText } from "../../files/line-text.ts";
import { fine, refused, type Verdict } from "../guard-verdict.ts";
import { limits } from "../limits.ts";
import { describeNearest } from "../replace/nearest.ts";
import { mayOccurAsLines } from "../replace/tolerant.ts";
import { parsePatch, type PatchSection } from "./parse.ts";
import { placeHunks, soughtBy } from "./place-hunks.ts";
import { Workspace, type WorkTree } from "./workspace.ts";

export class PatchGuard {
	readonly #root: WorkTree;
	/** The length of the patch at the last check. */
	#length = 0;

	constructor(root: WorkTree) {
		this.#root = root;
	}

	/** `isComplete` is true when the patch has ended; before that the patch may be cut anywhere. */
	async judge(input: string, isComplete: boolean): Promise<Verdict> {
		if (!isComplete && !this.#isDue(input)) return fine;
		this.#length = input.length;
		const patch = parsePatch(input, { partial: !isComplete });
		if (!patch.ok) return refused("", patch.reason);
		const workspace = new Workspace(this.#root);
		const complete = isComplete ? patch.sections : patch.sections.slice(0, -1);
		for (const section of complete) {
			const refusal = await workspace.apply(section);
			if (refusal) return refused(section.path, refusal.reason);
		}
		const open = isComplete ? undefined : patch.sections.at(-1);
		return open ? judgeOpen(workspace, open) : fine;
	}

	/** Each check reads the whole patch: checking only after it has grown by a share keeps the total linear. */
	#isDue(input: string): boolean {
		if (input.length < this.#length * (1 + limits.guardGrowth)) return false;
		return input.includes("\n", this.#length);
	}
}

/** The section that is being written. */
async function judgeOpen(workspace: Workspace, section: PatchSection): Promise<Verdict> {
	const { path } = section;
	if (section.kind !== "update") {
		const refusal = await workspace.apply(section);
		return refusal ? refused(path, refusal.reason) : fine;
	}
	const open = section.hunks.at(-1);
	if (!open) return fine;
	const text = await workspace.text(path);
	if (typeof text !== "string") return refused(path, text.reason);
	const lines = new LineText(unify(text).text);
	const placed = await placeHunks(lines, path, section.hunks.slice(0, -1));
	if (!placed.ok) return refused(path, placed.reason);
	const sought = soughtBy(open.lines);
	if (mayOccurAsLines(lines, sought)) return fine;
	const near = describeNearest(lines, sought.join("\n"), "the patch");
	return refused(path, `The hunk does not match ${path}. ${near}`.trimEnd());
}
