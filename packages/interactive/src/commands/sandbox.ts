/** `/sandbox`: what the model's commands can do, in the transcript, and a list of what was denied. */
import { wrapTextWithAnsi, type Theme } from "@tau/tui";

import { sandbox as row, type SandboxData } from "@tau/session-commands/rows";
import { drawReply } from "../run-row.ts";
import { denialsSelector } from "../selectors/denials/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openRows } from "../command-rows.ts";
import { onScreen } from "./on-screen.ts";

export const sandbox = onScreen(row, (reply, host) => {
	const { lines, denied = [] } = (reply.data ?? {}) as Partial<SandboxData>;
	if (!lines) return drawReply(reply, host);
	host.print(report(host.theme, (width, theme) => lines.flatMap((line) => drawLine(line, width, theme))));
	if (denied.length === 0) return;
	openRows<SandboxData>(host, { row, reply }, (rows, screen, close) =>
		denialsSelector(screen, {
			denials: () => rows.data.denied.toReversed(),
			// An allowed one leaves the list.
			async allow({ what }) {
				drawReply(await rows.run(`permit ${what}`), host);
				if (rows.data.denied.length === 0) close();
			},
			close,
		}),
	);
});

/** What belongs to a heading is indented below it, also where it is wrapped. */
function drawLine(line: string, width: number, theme: Theme): string[] {
	const [indent = ""] = /^ */.exec(line) ?? [];
	const color = indent === "" ? "text" : "muted";
	const rows = wrapTextWithAnsi(line.trimStart(), Math.max(1, width - indent.length));
	return rows.map((each) => indent + theme.fg(color, each));
}
