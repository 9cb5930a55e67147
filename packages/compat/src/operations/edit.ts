/** Replaces text in a file through operations of an extension. */
import { exactPlaces, overlapping, tolerantMatch } from "@tau/tools/edit";
import { splicedAsWritten, unify, type Splice, LineText, regionsOf, unifiedDiff } from "@tau/tools/files";

import { absolute, said, type Elsewhere, type Params } from "./elsewhere.ts";

export interface EditOperations {
	readFile(absolutePath: string): Promise<Uint8Array>;
	writeFile(absolutePath: string, content: string): Promise<void>;
	/** Throws when it cannot be read and written. */
	access(absolutePath: string): Promise<void>;
}

interface Edit {
	oldText: string;
	newText: string;
}

export const editElsewhere: Elsewhere<EditOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	await operations.access(path);
	const unified = unify(Buffer.from(await operations.readFile(path)).toString("utf8"));
	signal.throwIfAborted();
	const before = new LineText(unified.text);
	const splices = editsOf(params).map((edit) => place(before, edit));
	splices.sort((a, b) => a.start - b.start);
	if (overlapping(splices)) throw new Error("Two edits touch the same text. Combine them.");
	const written = splicedAsWritten(unified, splices);
	await operations.writeFile(path, written);
	const after = new LineText(unify(written).text);
	const { diff, regions } = unifiedDiff(before, after, regionsOf(before, after, splices));
	const firstChangedLine = (regions[0]?.newStart ?? 0) + 1;
	const count = splices.length === 1 ? "1 place" : `${splices.length} places`;
	return said(`Changed ${count} in ${String(params.path)}.`, { diff, firstChangedLine });
};

/** Also as pi took them once: one edit, beside the path. */
function editsOf({ edits, oldText, newText }: Params): Edit[] {
	const all: unknown[] = Array.isArray(edits) ? edits : [{ oldText, newText }];
	return all.map((edit) => {
		const { oldText: old, newText: next } = Object(edit) as Partial<Record<keyof Edit, unknown>>;
		if (typeof old !== "string" || old === "" || typeof next !== "string")
			throw new Error("Each edit needs oldText and newText.");
		return { oldText: unify(old).text, newText: unify(next).text };
	});
}

function place(file: LineText, { oldText, newText }: Edit): Splice {
	const found = exactPlaces(file.text, oldText);
	const [start] = found;
	if (found.length > 1)
		throw new Error(`oldText occurs ${found.length} times. Include more surrounding lines.`);
	if (start !== undefined) return { start, end: start + oldText.length, text: newText };
	const splice = tolerantMatch(file, oldText, newText)?.splice;
	if (!splice) throw new Error("oldText does not occur in the file.");
	return splice;
}
