/** `/sandbox`: what the model's commands can do, in the transcript, and a list of what was denied. */
import type { Denial } from "@tau/machines/sandbox";
import { wrapTextWithAnsi, type Theme } from "@tau/tui";

import { allow, sandbox as row, type SandboxData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply, withTarget } from "../run-row.ts";
import { denialsSelector } from "../selectors/denials/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

export const sandbox = onScreen(row, {
	draw(reply, host) {
		const { lines } = (reply.data ?? {}) as Partial<SandboxData>;
		if (!lines) return drawReply(reply, host);
		host.print(report(host.theme, (width, theme) => lines.flatMap((line) => drawLine(line, width, theme))));
		if (host.isAttached) return;
		const { denied = [] } = host.env.sandbox ?? {};
		if (denied.length > 0) listDenied(host, denied);
	},
});

/** What was denied; an allowed one leaves the list. */
function listDenied(host: InteractiveHost, denied: Denial[]): void {
	openSelector(host, (screen, close) => {
		const component = denialsSelector(screen, {
			denials: () => denied.toReversed(),
			async allow(denial) {
				const { allow: rule } = denial;
				if (rule) drawReply(await withTarget(host, (target) => allow(target, rule)), host);
				denied.splice(denied.indexOf(denial), 1);
				component.refresh();
				if (denied.length === 0) close();
			},
			close,
		});
		return { component };
	});
}

/** What belongs to a heading is indented below it, also where it is wrapped. */
function drawLine(line: string, width: number, theme: Theme): string[] {
	const [indent = ""] = /^ */.exec(line) ?? [];
	const color = indent === "" ? "text" : "muted";
	const rows = wrapTextWithAnsi(line.trimStart(), Math.max(1, width - indent.length));
	return rows.map((each) => indent + theme.fg(color, each));
}
