/** Lets the user see background commands, read their output, and end them. */
import { getKeybindings, keyHint, rawKeyHint } from "@tau/tui";

import type { JobFacts } from "@tau/session-commands/rows";
import { elapsed } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface JobsSelectorParts {
	jobs(): readonly JobFacts[];
	now(): number;
	/** Prints what it has printed. */
	show(job: JobFacts): void | Promise<void>;
	end(job: JobFacts): Promise<void>;
	openTerminal(job: JobFacts): void;
	close(): void;
}

const colors = { running: "accent", done: "success", failed: "error", killed: "warning" } as const;

export function jobsSelector(screen: PickerScreen, parts: JobsSelectorParts): Picker<JobFacts> {
	const { jobs, now, show, end, openTerminal, close } = parts;
	const picker = new Picker<JobFacts>(screen, {
		title: "Background jobs",
		hasSearch: false,
		items: () => jobs(),
		idOf: ({ id }) => id,
		row: ({ id, label, state, startedAt, endedAt, addresses }, width, theme) =>
			row(
				[`${id} ${plain(label)}`, ...addresses].join(" → "),
				[
					{ text: state, width: 7, paint: (text) => theme.fg(colors[state], text) },
					{
						text: elapsed((endedAt ?? now()) - startedAt),
						width: 7,
						align: "right",
						paint: (text) => theme.fg("dim", text),
					},
				],
				width,
			),
		about: (job, _width, theme) =>
			job.tail
				.split("\n")
				.slice(-limits.previewRows)
				.map((line) => theme.fg("muted", plain(line))),
		aboutRows: limits.previewRows,
		empty: () => "No background jobs",
		hints: (theme, job) => [
			keyHint(theme, "tui.select.confirm", "view output"),
			job?.hasTerminal ? keyHint(theme, "app.jobs.terminal", "type into it") : "",
			job?.state === "running" ? keyHint(theme, "app.jobs.end", "kill") : "",
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, job) => {
			if (job?.hasTerminal && getKeybindings().matches(data, "app.jobs.terminal")) {
				close();
				openTerminal(job);
				return true;
			}
			if (!getKeybindings().matches(data, "app.jobs.end")) return false;
			if (job?.state === "running")
				picker.confirm(`Kill job ${job.id}?`, async () => {
					await end(job);
					picker.refresh();
				});
			return true;
		},
		onConfirm: async (job) => {
			await show(job);
			close();
		},
		onCancel: close,
	});
	return picker;
}
