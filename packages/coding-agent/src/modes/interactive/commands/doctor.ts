/** `/doctor`: what the session needs and whether it works, and every problem with its fix, in a panel. */
import { wrapTextWithAnsi, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";

import {
	checkSigns,
	type Check,
	type DoctorReport,
	type Problem,
} from "../../../session-commands/work/doctor-report.ts";
import type { InteractiveHost } from "../host.ts";
import { plain } from "../selectors/kit/row.ts";
import { ScrollPane } from "../selectors/kit/scroll-pane.ts";
import { openSelector } from "../selectors/open.ts";
import { plural } from "../views/format.ts";
import type { SlashCommand } from "./command.ts";
import { whileLoading } from "./loading.ts";

const colors = { ok: "success", warning: "warning", error: "error" } as const;

export const doctor: SlashCommand = {
	name: "doctor",
	group: "Setup",
	description: "Check model, key, sandbox, git, terminal and files, with a fix for each problem",
	details: "The same as `tau doctor` in a shell, which also lists everything that was found.",
	async run(_, host) {
		const examine = host.doctor;
		if (!examine) throw new Error("This session cannot examine its machine. Run tau doctor in a shell.");
		const report = await whileLoading(host, "Checking", () => examine());
		if (report) show(host, report);
	},
};

function show(host: InteractiveHost, { checks, problems }: DoctorReport): void {
	const all = [...problems, ...unloaded(host)];
	const title = all.length === 0 ? "Doctor: no problems" : `Doctor: ${plural(all.length, "problem")}`;
	openSelector(host, (screen, close) => ({
		component: new ScrollPane(screen, {
			title,
			rows: (width, theme) => [
				...checkRows(checks, width, theme),
				...all.flatMap((problem) => ["", ...problemRows(problem, width, theme)]),
			],
			leaves: () => "close",
			back: close,
		}),
	}));
}

/** Only a session knows what happened when extensions and tools were loaded. */
function unloaded({ loadedExtensions }: InteractiveHost): Problem[] {
	return (loadedExtensions?.problems ?? []).map(({ path, error }) => ({
		area: "extensions",
		problem: `${shortenHome(path)}: ${error}`,
		fix: "Correct the file and run /reload, or remove it.",
		severity: "warning",
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
