/** `/doctor`: what the session needs and whether it works, and every problem with its fix, in a panel. */
import { wrapTextWithAnsi, type Theme } from "@tau/tui";

import { doctor as doctorRow, doctorTitle, type DoctorData } from "@tau/session-commands/rows";
import { checkSigns, type Check, type Problem } from "@tau/session-commands/work";
import type { InteractiveHost } from "../host.ts";
import { plain } from "../selectors/kit/row.ts";
import { ScrollPane } from "../selectors/kit/scroll-pane.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

const colors = { ok: "success", warning: "warning", error: "error" } as const;

export const doctor = onScreen(doctorRow, ({ data }, host) => {
	// Without a report it was stopped.
	if (data !== undefined) show(host, data as DoctorData);
});

function show(host: InteractiveHost, data: DoctorData): void {
	openSelector(host, (screen, close) => ({
		component: new ScrollPane(screen, {
			title: doctorTitle(data),
			rows: (width, theme) => [
				...checkRows(data.checks, width, theme),
				...data.problems.flatMap((problem) => ["", ...problemRows(problem, width, theme)]),
			],
			leaves: () => "close",
			back: close,
		}),
	}));
}

function checkRows(checks: readonly Check[], width: number, theme: Theme): string[] {
	const cells = Math.max(...checks.map(({ name }) => name.length)) + 2;
	return checks.flatMap(({ name, state, about }) => {
		const [first = "", ...rest] = wrapTextWithAnsi(plain(about), Math.max(1, width - cells - 2));
		const sign = theme.fg(colors[state], checkSigns[state]);
		return [
			`${sign} ${name.padEnd(cells)}${theme.fg("muted", first)}`,
			...rest.map((row) => " ".repeat(cells + 2) + theme.fg("muted", row)),
		];
	});
}

function problemRows({ area, problem, fix, severity }: Problem, width: number, theme: Theme): string[] {
	const room = Math.max(1, width - 2);
	const [first = "", ...rest] = wrapTextWithAnsi(`${area}: ${plain(problem)}`, room);
	return [
		`${theme.fg(colors[severity], checkSigns[severity])} ${first}`,
		...rest.map((row) => `  ${row}`),
		...wrapTextWithAnsi(`fix: ${plain(fix)}`, room).map((row) => `  ${theme.fg("muted", row)}`),
	];
}
