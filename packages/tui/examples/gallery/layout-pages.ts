/** Pages with text, boxes, colors and loaders. */
import {
	BorderedLoader,
	Box,
	DynamicBorder,
	guarded,
	HStack,
	Image,
	Loader,
	ProgressBar,
	Sparkline,
	StatusLine,
	Text,
	TruncatedText,
	type Component,
	type Theme,
	type ThemeBg,
	type ThemeColor,
} from "@tau/tui";

import { column, exhibit, type Page } from "./gallery-context.ts";

const prose = `A row is never wider than the screen, whatever is in it: 漢字, 👩‍👩‍👧, e\u0301, or an escape sequence. Words wrap where they can, and break where they must.`;

export const textPage: Page = {
	id: "text",
	label: "Text",
	open({ theme }) {
		const card = (color: ThemeBg, title: string, text: string): Component => {
			const box = new Box(1, 0, (row) => theme.bg(color, row));
			box.addChild(new Text(theme.bold(title), 0, 0));
			box.addChild(new Text(theme.fg("muted", text), 0, 0));
			return box;
		};
		return {
			body: column(
				exhibit(theme, "Text", new Text(prose, 0, 0)),
				exhibit(theme, "TruncatedText", new TruncatedText(`${prose} ${prose}`)),
				exhibit(theme, "Box", card("userMessageBg", "On a ground", "with room around it")),
				exhibit(
					theme,
					"HStack: beside each other, or above each other where it is narrow",
					new HStack(
						[
							{ component: card("toolPendingBg", "pending", "npm test") },
							{ component: card("toolSuccessBg", "done", "41 files, 0 problems") },
							{ component: card("toolErrorBg", "failed", "exit code 1") },
						],
						{ gap: 2, narrow: 48 },
					),
				),
				exhibit(theme, "DynamicBorder", new DynamicBorder((line) => theme.fg("border", line))),
				exhibit(
					theme,
					"StatusLine: what matters least goes first when it is narrow",
					new StatusLine(theme, () => ({
						left: [
							{ text: theme.fg("accent", "~/tau"), priority: 3 },
							{ text: "main", priority: 1 },
						],
						right: [
							{ text: theme.fg("success", "● ready"), priority: 2 },
							{ text: "12.4k tokens" },
							{ text: "$0.08" },
						],
					})),
				),
				exhibit(theme, "guarded: one that fails takes nothing with it", broken(theme)),
			),
		};
	},
};

function broken(theme: Theme): Component {
	const component: Component = {
		render: () => {
			throw new Error("this component fails on purpose");
		},
		invalidate: () => {},
	};
	return guarded(component, { name: "example", theme, onFailure: () => {} });
}

export const waitingPage: Page = {
	id: "waiting",
	label: "Waiting",
	open({ theme, ui }) {
		const sign = (text: string): string => theme.fg("accent", text);
		const message = (text: string): string => theme.fg("muted", text);
		const loader = new Loader(ui, sign, message, "Reading 14 files");
		const own = new Loader(ui, sign, message, "Thinking", {
			frames: ["dim", "muted", "accent", "muted"].map((color) => theme.fg(color as ThemeColor, "●")),
			intervalMs: 200,
		});
		const bordered = new BorderedLoader(ui, theme, "Fetching the page");
		const progress = (share: number, note: string): Component =>
			new ProgressBar(theme, { label: "Compacting", share, note });
		const values = Array.from({ length: 40 }, (_, at) => 4 + 3 * Math.sin(at / 3) + 2 * Math.sin(at * 1.7));
		return {
			body: column(
				exhibit(theme, "Loader", loader),
				exhibit(theme, "Loader with signs of its own", own),
				exhibit(theme, "BorderedLoader: escape cancels it", bordered),
				exhibit(theme, "ProgressBar", progress(0.37, "12 of 32 messages")),
				progress(1, "32 of 32 messages"),
				exhibit(theme, "Sparkline", new Sparkline(theme, { label: "Tokens", values, note: "per minute" })),
			),
			target: bordered,
			close: () => {
				loader.stop();
				own.stop();
				bordered.dispose();
			},
		};
	},
};

const swatches: readonly ThemeColor[] = [
	...(["accent", "success", "warning", "error", "text", "muted", "dim"] as const),
	...(["border", "borderAccent", "borderMuted", "toolTitle", "toolOutput", "bashMode"] as const),
	...(["mdHeading", "mdLink", "mdCode", "mdQuote", "mdListBullet"] as const),
	...([
		"syntaxKeyword",
		"syntaxFunction",
		"syntaxString",
		"syntaxNumber",
		"syntaxType",
		"syntaxComment",
	] as const),
	...(["thinkingMinimal", "thinkingLow", "thinkingMedium", "thinkingHigh", "thinkingXhigh"] as const),
];

const grounds: readonly ThemeBg[] = [
	"selectedBg",
	"userMessageBg",
	"customMessageBg",
	"toolPendingBg",
	"toolSuccessBg",
	"toolErrorBg",
];

export const colorsPage: Page = {
	id: "colors",
	label: "Colors",
	open({ theme }) {
		const names = swatches.map((name) => theme.fg(name, `■ ${name}`));
		const third = Math.ceil(names.length / 3);
		const columns = [0, 1, 2].map((at) => ({
			component: new Text(names.slice(at * third, (at + 1) * third).join("\n"), 0, 0),
		}));
		const ground = (name: ThemeBg): Component => new Text(name, 1, 0, (row) => theme.bg(name, row));
		const styles = [
			theme.bold("bold"),
			theme.italic("italic"),
			theme.underline("underline"),
			theme.strikethrough("strikethrough"),
			theme.inverse(" inverse "),
		];
		return {
			body: column(
				exhibit(theme, `Theme.fg: ${theme.name}, for ${theme.appearance} terminals`, new HStack(columns)),
				exhibit(
					theme,
					"Theme.bg",
					new HStack(
						[0, 3].map((at) => ({ component: column(...grounds.slice(at, at + 3).map(ground)) })),
						{ gap: 2 },
					),
				),
				exhibit(theme, "Styles", new Text(styles.join("  "), 0, 0)),
				exhibit(theme, "Image, where none can be drawn", picture(theme)),
			),
		};
	},
};

/** One pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

function picture(theme: Theme): Component {
	const colors = { fallbackColor: (text: string): string => theme.fg("muted", text) };
	return new Image(png, "image/png", colors, { filename: "pixel.png" });
}
