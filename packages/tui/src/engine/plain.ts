/** Shows frames on what is not a screen (`TERM=dumb`, a pipe): each row once, when it is final, as bare text. */
import type { Frame } from "./frame.ts";
import type { Commits } from "./ledger.ts";
import { makeRow, plainText } from "./row.ts";

export class PlainPainter {
	#shown = 0;

	/** The rows that have become final; the chrome is never shown, as nobody could take it away again. */
	paint(frame: Frame, commits: Commits): string {
		const end = commits === "all" ? frame.contentEnd : frame.boundary;
		const rows = frame.rows(Math.min(this.#shown, end), end);
		this.#shown = end;
		return rows.map((raw) => `${plainText(makeRow(raw, Number.POSITIVE_INFINITY))}\r\n`).join("");
	}
}
