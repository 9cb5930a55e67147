/** Lets the user see what fills the context, read each item, drop items and bring them back. */
import {
	getKeybindings,
	keyHint,
	progressBar,
	rawKeyHint,
	wrapTextWithAnsi,
	type Theme,
	type ThemeColor,
} from "@tau/tui";
import { shortenHome, stripControls } from "@tau/utils";
import { causeText, shareCached, type ContextData } from "@tau/session-commands/rows";

import { money, plural, tokens } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row } from "../kit/row.ts";
import { ScrollPane } from "../kit/scroll-pane.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { Stacked } from "../kit/stacked.ts";
import { limits } from "../limits.ts";

type ContextReport = ContextData;
type ContextSource = ContextReport["sources"][number];
type ContextItem = ContextSource["items"][number];
type CachedTurn = ContextReport["turns"][number];
type CacheBreak = ContextReport["misses"][number];

export interface ContextSelectorParts {
	report: ContextReport;
	/** The text of an item. */
	inspect(id: string): string | Promise<string>;
	/** Resolves with what is left then. */
	drop(id: string): Promise<ContextReport>;
	restore(id: string): Promise<ContextReport>;
	close(): void;
}

type Row =
	| { kind: "source"; source: ContextSource }
	| { kind: "item"; source: ContextSource; item: ContextItem }
	| { kind: "more"; source: ContextSource; count: number; tokens: number }
	| { kind: "free"; tokens: number }
	| { kind: "turn"; number: number; turn: CachedTurn }
	| { kind: "miss"; miss: CacheBreak }
	| { kind: "kept"; requests: number; cost: number };

const sourcesTab = "sources";
const cacheTab = "cache";
const aboutRows = 3;
/** Items of a source that are listed until it is opened; dropped ones always are. */
const listedItems = 3;

/** The list, and over it the text of an item. */
export function contextSelector(screen: PickerScreen, parts: ContextSelectorParts): Stacked {
	let { report } = parts;
	/** The sources that the user has opened. */
	const opened = new Set<string>();
	let pane: ScrollPane | undefined;
	const texts = new ItemTexts(parts.inspect, (reading) =>
		picker.run(async () => {
			await reading;
			pane?.invalidate();
			screen.requestRender();
		}),
	);
	const textOf = (id: string): string => texts.of(id);
	const change = (data: Row & { kind: "item" }): void =>
		picker.run(async () => {
			const { id, isDropped } = data.item;
			report = await (isDropped ? parts.restore(id) : parts.drop(id));
			picker.refresh();
			picker.showMessage(
				isDropped
					? "Back in the context."
					: "Dropped from the context. The session keeps it, and the same key brings it back.",
			);
		});
	const picker = new Picker<Row>(screen, {
		title: () => headline(report),
		tabs: () => [
			{ id: sourcesTab, label: "Sources" },
			{ id: cacheTab, label: "Cache" },
		],
		items: (search, tab) => (tab === cacheTab ? cacheRows(report) : sourceRows(report, search, opened)),
		idOf,
		row: (data, width, theme) => drawRow(data, report, width, theme),
		about: (data, width, theme) => aboutRow(data, { report, textOf }, width, theme),
		aboutRows,
		empty: (search, tab) => {
			if (tab === cacheTab) return "No requests yet";
			return search === "" ? "The context is empty" : `Nothing matches "${plain(search)}"`;
		},
		hints: (theme, data) => [
			...(data && opens(data) ? [keyHint(theme, "tui.select.confirm", "show or hide all")] : []),
			...(data?.kind === "item" ? [keyHint(theme, "tui.select.confirm", "inspect")] : []),
			...(data?.kind === "item" && data.item.canDrop
				? [keyHint(theme, "app.context.drop", data.item.isDropped ? "bring back" : "drop")]
				: []),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, selected) => {
			if (!getKeybindings().matches(data, "app.context.drop")) return false;
			if (selected?.kind === "item") change(selected);
			return true;
		},
		onConfirm: (data) => {
			if (opens(data)) {
				if (!opened.delete(data.source.name)) opened.add(data.source.name);
				picker.refresh();
				return;
			}
			if (data.kind !== "item") return;
			pane = inspectPane(
				screen,
				data,
				() => textOf(data.item.id),
				() => {
					pane = undefined;
					stacked.back();
					screen.requestRender();
				},
			);
			stacked.open(pane);
			screen.requestRender();
		},
		onCancel: parts.close,
	});
	const stacked = new Stacked(picker);
	return stacked;
}

/** The text of the item that was looked at last: reading one reads the conversation, so not in every frame. */
class ItemTexts {
	readonly #inspect: ContextSelectorParts["inspect"];
	readonly #follow: (reading: Promise<void>) => void;
	#last: { id: string; text: string } | undefined;

	constructor(inspect: ContextSelectorParts["inspect"], follow: (reading: Promise<void>) => void) {
		this.#inspect = inspect;
		this.#follow = follow;
	}

	/** Empty until it was read. */
	of(id: string): string {
		if (this.#last?.id === id) return this.#last.text;
		const text = this.#inspect(id);
		const last = { id, text: typeof text === "string" ? stripControls(text) : "" };
		this.#last = last;
		if (typeof text !== "string") this.#follow(text.then((read) => void (last.text = stripControls(read))));
		return last.text;
	}
}

function inspectPane(
	screen: PickerScreen,
	{ source, item: { name } }: Extract<Row, { kind: "item" }>,
	text: () => string,
	back: () => void,
): ScrollPane {
	return new ScrollPane(screen, {
		title: `${source.name}${name === "" ? "" : `: ${shortenHome(name)}`}`,
		rows: (width) => wrapTextWithAnsi(text(), width),
		leaves: () => "back",
		back,
	});
}

function headline({ usage }: ContextReport): string {
	const { tokens: used, contextWindow, percent, exact } = usage;
	const of = contextWindow > 0 ? ` of ${tokens(contextWindow)} (${percent.toFixed(1)}%)` : "";
	return `Context: ${exact ? "" : "about "}${tokens(used)} tokens${of}`;
}

function idOf(data: Row): string {
	switch (data.kind) {
		case "source":
			return data.source.name;
		case "item":
			return data.item.id;
		case "more":
			return `more ${data.source.name}`;
		case "free":
			return "free";
		case "turn":
			return `turn ${data.number}`;
		case "miss":
			return `miss ${data.miss.request}`;
		case "kept":
			return "kept";
	}
}

/** Whether Enter lists all items of its source, or only the largest. */
function opens(data: Row): data is Extract<Row, { kind: "source" | "more" }> {
	return data.kind === "more" || (data.kind === "source" && data.source.items.length > listedItems);
}

function sourceRows({ sources, usage }: ContextReport, search: string, opened: ReadonlySet<string>): Row[] {
	const wanted = search.trim().toLowerCase();
	const rows = sources.flatMap((source): Row[] => {
		const isNamed = source.name.toLowerCase().includes(wanted);
		const items = source.items.filter(({ name }) => isNamed || name.toLowerCase().includes(wanted));
		if (items.length === 0) return [];
		const isWhole = wanted !== "" || opened.has(source.name) || items.length === listedItems + 1;
		const isListed = ({ isDropped }: ContextItem, at: number): boolean =>
			isWhole || isDropped || at < listedItems;
		const rest = items.filter((item, at) => !isListed(item, at));
		const tokensOfRest = rest.reduce((sum, item) => sum + item.tokens, 0);
		return [
			{ kind: "source", source },
			...items.filter(isListed).map((item): Row => ({ kind: "item", source, item })),
			...(rest.length > 0
				? [{ kind: "more" as const, source, count: rest.length, tokens: tokensOfRest }]
				: []),
		];
	});
	const free = usage.contextWindow - usage.tokens;
	return wanted === "" && free > 0 ? [...rows, { kind: "free", tokens: free }] : rows;
}

/** What went wrong first, then the turns, the newest first. */
function cacheRows({ turns, misses, keptAlive }: ContextReport): Row[] {
	return [
		...(keptAlive.requests > 0 ? [{ kind: "kept" as const, ...keptAlive }] : []),
		...misses.toReversed().map((miss): Row => ({ kind: "miss", miss })),
		...turns.map((turn, at): Row => ({ kind: "turn", number: at + 1, turn })).toReversed(),
	];
}

function drawRow(data: Row, { usage }: ContextReport, width: number, theme: Theme): string {
	const amount = (count: number, color: ThemeColor) => ({
		text: tokens(count),
		width: 6,
		align: "right" as const,
		paint: (text: string) => theme.fg(color, text),
	});
	const beside = (text: string, cells: number, color: ThemeColor = "muted") => ({
		text,
		width: cells,
		align: "right" as const,
		paint: (shown: string) => theme.fg(color, shown),
	});
	switch (data.kind) {
		case "source":
			return row(
				data.source.name,
				[amount(data.source.tokens, "text"), beside(share(data.source.tokens, usage.contextWindow), 5)],
				width,
				(text) => theme.fg("accent", text),
			);
		case "item": {
			const { name, tokens: count, isDropped } = data.item;
			const shown = `  ${isDropped ? "✗ " : ""}${plain(name === "" ? "text" : shortenHome(name))}`;
			return row(
				shown,
				[amount(count, "muted"), beside(isDropped ? "off" : "", 5, "warning")],
				width,
				(text) => theme.fg(isDropped ? "dim" : "text", text),
			);
		}
		case "more":
			return row(`  ${data.count} more`, [amount(data.tokens, "muted"), beside("", 5)], width, (text) =>
				theme.fg("dim", text),
			);
		case "free":
			return row(
				"Free",
				[amount(data.tokens, "muted"), beside(share(data.tokens, usage.contextWindow), 5)],
				width,
			);
		case "turn": {
			const cached = shareCached(data.turn);
			const color = cached >= 0.8 ? "success" : cached >= 0.3 ? "warning" : "muted";
			return row(
				`Turn ${data.number}`,
				[
					beside(`${Math.round(cached * 100)}% cached`, 11, color),
					amount(data.turn.requested, "muted"),
					beside(money(data.turn.cost), 7),
				],
				width,
			);
		}
		case "kept":
			return row(
				`Kept alive by ${plural(data.requests, "request")}`,
				[beside("", 6), beside(money(data.cost), 8)],
				width,
			);
		case "miss":
			return row(
				`Missed at request ${data.miss.request}: ${causeText(data.miss.cause)}`,
				[amount(data.miss.tokens, "muted"), beside(data.miss.cost > 0 ? `+${money(data.miss.cost)}` : "", 8)],
				width,
				(text) => theme.fg("warning", text),
			);
	}
}

function aboutRow(
	data: Row,
	{ report, textOf }: { report: ContextReport; textOf(id: string): string },
	width: number,
	theme: Theme,
): readonly string[] {
	const muted = (text: string): string => theme.fg("muted", text);
	switch (data.kind) {
		case "source":
		case "more":
		case "free":
			return bar(report, width, theme);
		case "item": {
			const text = textOf(data.item.id).slice(0, limits.searchChars);
			return wrapTextWithAnsi(text.replaceAll(/\s+/g, " "), width).map(muted);
		}
		case "turn": {
			const { model, requested, cached } = data.turn;
			return [muted(`${plain(model)}: ${tokens(cached)} of ${tokens(requested)} tokens came from the cache`)];
		}
		case "kept":
			return wrapTextWithAnsi(
				"Small requests that kept the conversation in the provider's cache while tools ran (cache.keepAlive).",
				width,
			).map(muted);
		case "miss": {
			const { tokens: count, cost } = data.miss;
			const price = cost > 0 ? `, which cost ${money(cost)} more than from the cache` : "";
			return wrapTextWithAnsi(`The provider read ${tokens(count)} tokens again${price}.`, width).map(muted);
		}
	}
}

function bar({ usage }: ContextReport, width: number, theme: Theme): string[] {
	const { percent, contextWindow } = usage;
	if (contextWindow <= 0) return [];
	const color = percent > 90 ? "error" : percent > 70 ? "warning" : "success";
	const filled = (text: string): string => theme.fg(color, text);
	return ["", progressBar(percent / 100, Math.min(60, width), filled, (text) => theme.fg("dim", text))];
}

function share(count: number, window: number): string {
	if (window <= 0) return "";
	const percent = (count / window) * 100;
	return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}
