/** Shows the findings of a review with the lines that they are about; one is opened in the editor, or given to the model. */
import { getKeybindings, keyHint, rawKeyHint, wrapTextWithAnsi } from "@tau/tui";

import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";
import type { Finding } from "@tau/session-commands/work";

export interface ReviewSelectorParts {
	findings: readonly Finding[];
	/** The lines of the file around the finding; undefined if it cannot be read. */
	lines(finding: Finding): readonly NumberedLine[] | undefined;
	/** Opens the place in the user's editor; resolves when it is closed. */
	open(finding: Finding): Promise<void>;
	/** Puts the finding into the prompt. */
	fix(finding: Finding): void;
	/** Puts all of them into the prompt. */
	fixAll(): void;
	close(): void;
}

export interface NumberedLine {
	number: number;
	text: string;
}

const colors: Readonly<Record<string, "error" | "warning" | "accent">> = {
	critical: "error",
	major: "warning",
	minor: "accent",
};

export function reviewSelector(screen: PickerScreen, parts: ReviewSelectorParts): Picker<Finding> {
	const { findings, lines, open, fix, fixAll, close } = parts;
	const picker: Picker<Finding> = new Picker<Finding>(screen, {
		title: `Findings (${findings.length})`,
		hasSearch: false,
		items: () => findings,
		idOf: (finding) => String(findings.indexOf(finding)),
		row: ({ file, line, severity, confidence }, width, theme) =>
			row(
				plain(`${file}:${line}`),
				[
					{
						text: plain(severity),
						width: 8,
						paint: (text) => theme.fg(colors[severity] ?? "muted", text),
					},
					{
						text: `${Math.round(confidence * 100)}%`,
						width: 4,
						align: "right",
						paint: (text) => theme.fg("dim", text),
					},
				],
				width,
			),
		about: (finding, width, theme) => {
			const { reason, suggestion, line } = finding;
			const words = [reason, ...(suggestion ? [`Suggestion: ${suggestion}`] : [])];
			const code = lines(finding) ?? [{ number: line, text: "The file cannot be read." }];
			return [
				...code.map(({ number, text }) => {
					const label = `${String(number).padStart(5)} ${plain(text)}`;
					return number === line ? theme.fg("text", label) : theme.fg("dim", label);
				}),
				"",
				...words.flatMap((text) => wrapTextWithAnsi(plain(text), width)),
			].slice(0, limits.findingRows);
		},
		aboutRows: limits.findingRows,
		empty: () => "No findings",
		hints: (theme) => [
			keyHint(theme, "tui.select.confirm", "open in your editor"),
			keyHint(theme, "app.review.fix", "put into the prompt"),
			...(findings.length > 1 ? [keyHint(theme, "app.review.fixAll", "all")] : []),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, finding) => {
			const isAll = getKeybindings().matches(data, "app.review.fixAll");
			if (!isAll && !getKeybindings().matches(data, "app.review.fix")) return false;
			if (!finding) return true;
			if (isAll) fixAll();
			else fix(finding);
			close();
			return true;
		},
		onConfirm: open,
		onCancel: close,
	});
	return picker;
}
