/** `conflict://<id>`: a merge conflict that was seen in a file, whole or one side of it. */
import { conflictsOf, type Conflict } from "../files/conflicts.ts";
import { oneLine } from "@tau/utils";
import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

export const conflictUrls: UrlHandler = {
	form: "<id>[/ours|theirs|base]",
	about: "merge conflicts of files that were read",
	resolve(rest, env) {
		const [id = "", side, ...more] = rest.split("/");
		const known = conflictsOf(env);
		const conflict = /^\d+$/.test(id) ? known.get(Number(id)) : undefined;
		if (!conflict) {
			const ids = known.all().map((each) => each.id);
			const there =
				ids.length === 0
					? "Read a file with conflict markers first"
					: `Known: ${ids.slice(0, limits.listed).join(", ")}`;
			return { ok: false, reason: `There is no conflict ${oneLine(id, limits.shownChars)}. ${there}.` };
		}
		const lines = more.length > 0 ? undefined : linesOf(conflict, side);
		if (lines) return { ok: true, text: `${lines.join("\n")}\n` };
		return { ok: false, reason: `A conflict has the sides ours, theirs and, if git recorded it, base.` };
	},
};

function linesOf({ lines, ours, theirs, base }: Conflict, side: string | undefined): string[] | undefined {
	if (side === undefined) return lines;
	const sides: Record<string, string[] | undefined> = { ours, theirs, base };
	return Object.hasOwn(sides, side) ? sides[side] : undefined;
}
