/** Asks the user to approve a tool call: shows all of what would run or change, why it is asked, and the choices. */
import {
	decodePrintableKey,
	DiffView,
	expandTabs,
	getKeybindings,
	getLanguageFromPath,
	keyText,
	wrapTextWithAnsi,
	type Component,
	type Focusable,
	type Theme,
} from "@tau/tui";
import { showControls } from "@tau/utils";
import type { UserRequestOf } from "@tau/wire";

import { waitingHint } from "./views/titled.ts";

type Approval = UserRequestOf<"approval">;

export interface ApprovalParts {
	request: Approval;
	theme: { readonly current: Theme };
	/** The height of the screen. */
	rows(): number;
	/** With the id of a choice. */
	onChoose(choice: string): void;
	requestRender(): void;
}

/** Rows of the frame that are neither the call nor the choices, and what is around the dialog. */
const frameRows = 12;
const leastBody = 4;
/** The footer, and the row above it. */
const belowRows = 2;

export class ApprovalDialog implements Component, Focusable {
	readonly #parts: ApprovalParts;
	#selected = 0;
	#top = 0;
	/** How far the user has seen the call; it cannot be approved before its end was shown. */
	#seenTo = 0;
	#shown = { count: 0, height: 1, width: 0, end: 0 };
	/** Whether all of the dialog is on the screen; what is above it has not been seen. */
	#fits = false;
	#isHinted = false;
	/** The change, laid out once for each theme. */
	#diff: { theme: Theme; view: DiffView } | undefined;
	/** Nothing may cover what is about to be approved. */
	readonly hidesOverlays = true;
	focused = false;

	/** What has a number; changing the call has a key of its own. */
	readonly #choices: Approval["choices"];
	readonly #amend: string | undefined;

	constructor(parts: ApprovalParts) {
		this.#parts = parts;
		const { choices } = parts.request;
		this.#choices = choices.filter(({ takesTexts }) => !takesTexts);
		this.#amend = choices.find(({ takesTexts }) => takesTexts)?.id;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		const number = Number(/^[1-9]$/.exec(decodePrintableKey(data) ?? data)?.[0] ?? 0);
		if (number > 0 && number <= this.#choices.length) this.#choose(number - 1);
		// All of it is in the editor that opens: it need not have been seen here.
		else if (keys.matches(data, "app.dialog.amend") && this.#amend !== undefined)
			this.#parts.onChoose(this.#amend);
		else if (keys.matches(data, "tui.select.up")) this.#move(-1);
		else if (keys.matches(data, "tui.select.down")) this.#move(1);
		else if (keys.matches(data, "tui.select.pageUp")) this.#scroll(-1);
		else if (keys.matches(data, "tui.select.pageDown")) this.#scroll(1);
		else if (keys.matches(data, "tui.select.confirm")) this.#choose(this.#selected);
		this.#parts.requestRender();
	}

	render(width: number): string[] {
		const theme = this.#parts.theme.current;
		const border = theme.fg(this.focused ? "borderAccent" : "borderMuted", "─".repeat(Math.max(1, width)));
		const { call, agent, reason, title: question } = this.#parts.request;
		const title = `${plain(question ?? `Allow ${call.toolName}?`)}${agent === undefined ? "" : ` (agent ${plain(agent)})`}`;
		const why = reason === undefined ? [] : wrapped(theme.fg("warning", plain(reason)), width);
		const choices = this.#choiceRows(theme, width);
		const body = this.#body(theme, width, why.length + choices.length);
		const rows = [
			border,
			` ${theme.bold(title)}`,
			...why,
			"",
			...body,
			...(body.length === 0 ? [] : [""]),
			...choices,
			"",
			...wrapped(theme.fg(this.focused ? "dim" : "accent", this.#hint()), width),
			// One that waits is above the editor, which begins with a rule of its own.
			...(this.focused ? [border] : []),
		];
		this.#fits = rows.length + belowRows <= this.#parts.rows();
		if (this.focused && this.#fits) this.#seenTo = Math.max(this.#seenTo, this.#shown.end);
		return rows;
	}

	#body(theme: Theme, width: number, otherRows: number): string[] {
		const room = Math.max(8, width - 2);
		const all = bodyRows(this.#parts.request, theme, room, this.#diffRows(theme, room));
		const height = Math.max(leastBody, this.#parts.rows() - frameRows - otherRows);
		// After a change of the width, the rows are other ones.
		if (this.#shown.width !== width) this.#seenTo = 0;
		this.#top = Math.max(0, Math.min(this.#top, all.length - height));
		const end = Math.min(all.length, this.#top + height);
		this.#shown = { count: all.length, height, width, end };
		const rows = all.slice(this.#top, end).map((row) => ` ${row}`);
		if (all.length <= height) return rows;
		const place = `rows ${this.#top + 1}-${end} of ${all.length} · ${keyText("tui.select.pageDown")} for more`;
		const isUnseen = this.#isHinted && this.#isUnseen;
		const note = isUnseen ? `${place} · see all of it before you allow it` : place;
		return [...rows, ...wrapped(theme.fg(isUnseen ? "warning" : "dim", note), width)];
	}

	#diffRows(theme: Theme, width: number): string[] {
		const { preview, touches } = this.#parts.request;
		if (preview?.kind !== "diff") return [];
		if (this.#diff?.theme !== theme) this.#diff = { theme, view: diffView(preview.text, touches, theme) };
		return this.#diff.view.render(width);
	}

	get #isUnseen(): boolean {
		return this.#seenTo < this.#shown.count;
	}

	#choiceRows(theme: Theme, width: number): string[] {
		const chosen = (row: string): string => (theme.hasTints ? theme.fg("accent", row) : theme.selected(row));
		return this.#choices.flatMap(({ label }, at) => {
			const isSelected = at === this.#selected && this.focused;
			const [first = "", ...rest] = wrapTextWithAnsi(`${at + 1}. ${plain(label)}`, Math.max(8, width - 7));
			const rows = [`${isSelected ? " ❯ " : "   "}${first}`, ...rest.map((row) => `      ${row}`)];
			return rows.map((row) => (isSelected ? chosen(row) : row));
		});
	}

	#hint(): string {
		if (!this.focused) return waitingHint();
		const { length } = this.#choices;
		if (this.#isHinted && !this.#fits)
			return "the window is too small to show the call: enlarge it, or decline";
		const amend = this.#amend === undefined ? "" : ` · ${keyText("app.dialog.amend")} to edit`;
		return `1-${length} or ${keyText("tui.select.confirm")} to select${amend} · ${keyText("tui.select.cancel")} to decline`;
	}

	#move(step: 1 | -1): void {
		const { length } = this.#choices;
		this.#selected = (this.#selected + step + length) % length;
	}

	/** Two keys before the next frame do not skip a page. */
	#scroll(pages: number): void {
		const to = this.#top + pages * Math.max(1, this.#shown.height - 1);
		this.#top = Math.max(0, Math.min(to, this.#seenTo));
	}

	#choose(index: number): void {
		const choice = this.#choices[index];
		if (!choice) return;
		this.#selected = index;
		if (choice.allows && this.#isUnseen) {
			this.#isHinted = true;
			return this.#scroll(1);
		}
		this.#parts.onChoose(choice.id);
	}
}

function wrapped(text: string, width: number): string[] {
	return wrapTextWithAnsi(text, Math.max(8, width - 2)).map((row) => ` ${row}`);
}

/** One line in which everything is visible. */
function plain(text: string): string {
	return showControls(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

/** All of the call: nothing of what would run is left out, cut or invisible. */
function bodyRows(request: Approval, theme: Theme, width: number, diff: readonly string[]): string[] {
	if (isWholeInReason(request)) return [];
	const { call, touches, preview } = request;
	const commands = touches.flatMap((touch) => (touch.kind === "exec" ? [touch] : []));
	const rows = commands.flatMap(({ command, cwd }) => [
		...commandRows(command, theme, width),
		...wrapTextWithAnsi(theme.fg("dim", `in ${plain(cwd)}`), width),
	]);
	if (preview?.kind === "text")
		rows.push(...preview.text.split("\n").flatMap((line) => wrapTextWithAnsi(plain(line), width)));
	rows.push(...diff);
	if (rows.length > 0) return rows;
	const paths = touches.flatMap((touch) =>
		touch.kind === "exec" ? [] : [`${touch.kind} ${touch.kind === "fetch" ? touch.url : touch.path}`],
	);
	return [
		...paths.flatMap((line) => wrapTextWithAnsi(plain(line), width)),
		...argumentRows(call.args, theme, width),
	];
}

/** The question about a host: its reason names the address, and there is nothing else to show. */
function isWholeInReason({ call, touches, reason }: Approval): boolean {
	const { host, port, ...others } = call.args;
	const address = `${host}:${port}`;
	const [touch, ...more] = touches;
	const isHost = touch?.kind === "fetch" && touch.url === address && more.length === 0;
	return isHost && Object.keys(others).length === 0 && (reason?.includes(address) ?? false);
}

/** A new line of the command has a sign, a row that was only wrapped has none. */
function commandRows(command: string, theme: Theme, width: number): string[] {
	return command.split("\n").flatMap((line, at) => {
		const [first = "", ...rest] = wrapTextWithAnsi(plain(line), Math.max(4, width - 2));
		const sign = theme.fg("accent", at === 0 ? "$ " : "> ");
		return [sign + theme.fg("text", first), ...rest.map((row) => `  ${theme.fg("text", row)}`)];
	});
}

/** As in the transcript. Indentation is shown as such; a tab anywhere else would be invisible, and gets its sign. */
function diffView(diff: string, touches: Approval["touches"], theme: Theme): DiffView {
	const lines = diff.split("\n").map((line) => {
		const [head = ""] = /^(?:[-+ ] *\d+ )?[-+ ]?\s*/.exec(line) ?? [];
		return expandTabs(head) + plain(line.slice(head.length));
	});
	const path = touches.flatMap((touch) => (touch.kind === "write" ? touch.path : []))[0];
	const language = path === undefined ? undefined : getLanguageFromPath(path);
	return new DiffView(lines.join("\n"), theme, language === undefined ? {} : { language });
}

function argumentRows(args: Approval["call"]["args"], theme: Theme, width: number): string[] {
	return Object.entries(args).flatMap(([name, value]) => {
		const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
		const lines = (text ?? "").split("\n");
		const [first = "", ...rest] = lines;
		const key = theme.fg("muted", `${plain(name)}: `);
		if (lines.length === 1) return wrapTextWithAnsi(key + plain(first), width);
		return [key, ...[first, ...rest].flatMap((line) => wrapTextWithAnsi(`  ${plain(line)}`, width))];
	});
}
