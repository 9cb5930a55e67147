/** Lets the user see background commands, read their output, and end them. */
import { getKeybindings, keyHint, rawKeyHint } from "@tau/tui";

import { elapsed } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface JobRow {
	id: string;
	label: string;
	state: "running" | "done" | "failed" | "killed";
	startedAt: number;
	endedAt?: number;
	/** The end of what it printed. */
	tail(): string;
	/** Where the user reaches its servers: `http://127.0.0.1:3000`. */
	addresses: readonly string[];
	/** It has a terminal that the user can type into. */
	hasTerminal: boolean;
}

export interface JobsSelectorParts {
	jobs(): readonly JobRow[];
	now(): number;
	/** Prints what it has printed. */
	show(job: JobRow): void;
	end(job: JobRow): Promise<void>;
	openTerminal(job: JobRow): void;
	close(): void;
}

const colors = { running: "accent", done: "success", failed: "error", killed: "warning" } as const;

export function jobsSelector(screen: PickerScreen, parts: JobsSelectorParts): Picker<JobRow> {
	const { jobs, now, show, end, openTerminal, close } = parts;
	const picker = new Picker<JobRow>(screen, {
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
			job
				.tail()
				.trimEnd()
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
		onConfirm: (job) => {
			show(job);
			close();
		},
		onCancel: close,
	});
	return picker;
}
