/** A message of the user, on its own background: a skill or template is shown as its call, its text on request. */
import { keyText, Text, truncateToWidth, visibleWidth, type Theme } from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";
import { invocationOf, type WireMessage } from "@tau/wire";

import { attachedIn, type Attached } from "@tau/session-commands/shared/attachments";
import { limits } from "../limits.ts";
import { plural } from "./format.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

/** Narrower than this, every column is for the text. */
const leastWidth = 8;

export class UserMessageView extends ViewBlock {
	readonly #written: string;
	/** The text that the model receives, if it differs from the shown one. */
	readonly #whole: string;

	readonly #attached: readonly Attached[];
	/** Who wrote it, if that was another client. */
	readonly #by: string | undefined;

	constructor(view: ViewContext, message: WireMessage) {
		super(view);
		const called = invocationOf(message);
		const whole = spokenText(message);
		this.#written = called === undefined ? whole : [stripControls(called), ...images(message)].join(" ");
		this.#whole = called === undefined ? "" : whole;
		this.#attached = attachedIn(this.#whole);
		const by = message.role === "user" ? message.by : undefined;
		this.#by = by === view.self && view.signsOwn !== true ? undefined : by;
	}

	protected draw(width: number, theme: Theme): string[] {
		const ground = (row: string): string => theme.bg("userMessageBg", theme.fg("userMessageText", row));
		const transform = this.view.transforms.transform();
		const about = { messageType: "user", isStreaming: false, availableWidth: width - 2 } as const;
		const written = transform ? stripControls(transform(this.#written, about)) : this.#written;
		const rows = [
			...this.#folded(this.#marked(written, width, theme, ground), width, theme),
			...(this.#by === undefined ? [] : [this.#signature(this.#by, width, theme)]),
			...this.#attached.flatMap((file) => new Text(theme.fg("dim", attachedLine(file)), 3, 0).render(width)),
		];
		if (this.#whole === "" || !this.view.expandTools) return rows;
		const all = this.#whole.split("\n");
		const more = all.length - limits.resultLines;
		const text = more > 0 ? [...all.slice(0, -more), `… ${plural(more, "more line")}`] : all;
		return [...rows, ...new Text(theme.fg("dim", text.join("\n")), 3, 0).render(width)];
	}

	#signature(by: string, width: number, theme: Theme): string {
		return truncateToWidth(theme.fg("dim", `   from ${oneLine(by, limits.lineChars)}`), width);
	}

	/** A long paste would push the conversation off the screen; its beginning says what it was. */
	#folded(rows: string[], width: number, theme: Theme): string[] {
		if (this.view.expandTools || rows.length <= limits.userRows) return rows;
		const more = rows.length - limits.userRows + 1;
		const key = keyText("app.tools.expand");
		const hint = key === "" ? "" : ` · ${key} shows all`;
		const note = new Text(theme.fg("dim", `… ${plural(more, "more row")}${hint}`), 3, 0).render(width);
		return [...rows.slice(0, -more), ...note];
	}

	/** The sign is what one looks for when scrolling back. */
	#marked(text: string, width: number, theme: Theme, ground: (row: string) => string): string[] {
		if (width < leastWidth) return new Text(text, 0, 0, ground).render(width);
		return new Text(text, 0, 0).render(width - 4).map((row, at) => {
			const full = row + " ".repeat(Math.max(0, width - 3 - visibleWidth(row)));
			return ground(` ${at === 0 ? theme.fg("accent", "❯") : " "} ${full}`);
		});
	}
}

function attachedLine({ name, kind, lines, count }: Attached): string {
	const size = kind === "file" ? plural(count, "line") : plural(count, "entry", "entries");
	return `▸ ${name}${lines === undefined ? "" : `:${lines}`} (${size})`;
}

/** The text of a message, with a sign for each image. */
function spokenText(message: WireMessage): string {
	if (message.role !== "user") return "";
	if (typeof message.content === "string") return stripControls(message.content);
	const parts = message.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`));
	return stripControls(parts.join(" "));
}

function images(message: WireMessage): string[] {
	if (message.role !== "user" || typeof message.content === "string") return [];
	return message.content.flatMap((part) =>
		part.type === "image" ? [stripControls(`[${part.mimeType}]`)] : [],
	);
}
