/** `/memory`: what past sessions taught, in the transcript. */
import { wrapTextWithAnsi } from "@tau/tui";

import { memory as row, type MemoryData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply } from "../run-row.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import { onScreen } from "./on-screen.ts";

export const memory = onScreen(row, (reply, host) => {
	const { lines } = (reply.data ?? {}) as Partial<MemoryData>;
	if (lines) show(host, lines);
	else drawReply(reply, host);
});

/** The kind, the date and the session behind a note. */
const sourceAtEnd = / \(\w+, \d{4}-\d\d-\d\d, .*\)$/;

/** Long lines are wrapped below their text, and keep their indentation. */
function show(host: InteractiveHost, lines: readonly string[]): void {
	host.print(
		report(host.theme, (width, theme) =>
			lines.flatMap((line) => {
				const [head = ""] = /^\s*(?:- )?(?:\[g?\d+\] )?/.exec(line) ?? [];
				const margin = Math.min(head.length, Math.floor(width / 3));
				const text = plain(line.slice(head.length)).replace(sourceAtEnd, (source) => theme.fg("dim", source));
				const rows = wrapTextWithAnsi(text, Math.max(1, width - margin));
				return rows.map((each, at) => (at === 0 ? head : " ".repeat(margin)) + each);
			}),
		),
	);
}
