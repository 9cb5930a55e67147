/** One or more instances of every component, in the relevant states, built from given texts and colors. */
import type { Component } from "../../component.ts";
import { Container } from "../../container.ts";
import { DiffView } from "../../diff/index.ts";
import { Editor } from "../../editor/editor.ts";
import { Input } from "../../editor/input.ts";
import { press, type } from "../../editor/testing/keyboard.ts";
import { Markdown } from "../../markdown/index.ts";
import {
	editorTheme,
	markdownTheme,
	selectListTheme,
	settingsListTheme,
} from "../../theme/component-themes.ts";
import type { Theme } from "../../theme/index.ts";
import {
	BorderedLoader,
	Box,
	CancellableLoader,
	Confirm,
	DynamicBorder,
	guarded,
	HintLine,
	HStack,
	keyHint,
	keyPairHint,
	Loader,
	MultiSelectList,
	Panel,
	ProgressBar,
	rawKeyHint,
	ScrollView,
	SelectList,
	SettingsList,
	Spacer,
	Sparkline,
	StatusLine,
	Tabs,
	Text,
	TreeList,
	TruncatedText,
	VStack,
	type TreeNode,
} from "../index.ts";

export interface Words {
	/** A short name. */
	label: string;
	/** A description. */
	meaning: string;
	/** Several lines. */
	text: string;
}

export type Specimen = (theme: Theme, words: Words) => Component;

const screen = { requestRender: (): void => {}, terminal: { rows: 24 } };

function options({ label, meaning }: Words, count: number) {
	return Array.from({ length: count }, (_, at) => ({
		value: `value-${at + 1}`,
		label: `${label} ${at + 1}`,
		...(at % 2 === 0 ? { description: `${meaning} ${at + 1}` } : {}),
	}));
}

function settings({ label, meaning }: Words, count: number) {
	return Array.from({ length: count }, (_, at) => ({
		id: `setting-${at + 1}`,
		label: `${label} ${at + 1}`,
		description: meaning,
		currentValue: at % 2 === 0 ? "on" : label,
		values: ["on", "off"],
	}));
}

function tree({ label, meaning }: Words): TreeNode[] {
	const leaf = (id: string): TreeNode => ({ id, label: `${label} ${id}` });
	return [
		{
			id: "a",
			label: `${label} a`,
			note: meaning,
			children: [
				{ id: "aa", label: `${label} aa`, children: [leaf("aaa"), leaf("aab")] },
				{ id: "ab", label: `${label} ab`, color: "success", children: [leaf("aba")] },
			],
		},
		{ id: "b", label: `${label} b`, children: [leaf("ba")] },
		leaf("c"),
	];
}

/** A conversation: a long chain that branches once. */
function chain({ label, meaning }: Words): TreeNode[] {
	const line = (ids: string[], rest: TreeNode[] = []): TreeNode[] =>
		ids.reduceRight<TreeNode[]>(
			(children, id) => [{ id, label: `${label} ${id}`, note: meaning, children }],
			rest,
		);
	return line(["1", "2"], [...line(["3a", "4a", "5a"]), ...line(["3b", "4b"])]);
}

function deep({ label }: Words, depth: number): TreeNode[] {
	let nodes: TreeNode[] = [];
	for (let level = depth; level > 0; level--) {
		nodes = [{ id: `${level}`, label: `${label} ${level}`, children: nodes }];
	}
	return nodes;
}

function pressed<T extends Component & { handleInput(data: string): void }>(
	component: T,
	...keys: string[]
): T {
	press(component, ...keys);
	return component;
}

function typed<T extends Component & { handleInput(data: string): void }>(component: T, text: string): T {
	type(component, text);
	return component;
}

function focused<T extends { focused: boolean }>(component: T): T {
	component.focused = true;
	return component;
}

function scrolled(theme: Theme, { text }: Words, follow: boolean): ScrollView {
	return new ScrollView(new Text(`${text}\n`.repeat(6), 0, 0), theme, { height: 5, follow });
}

const plain: Record<string, Specimen> = {
	text: (_, { text }) => new Text(text),
	"text on a ground": (theme, { text }) =>
		new Text(`${theme.fg("accent", text)}\x1b[0m.`, 2, 1, (row) => theme.bg("userMessageBg", row)),
	"truncated text": (_, { text }) => new TruncatedText(text, 1, 0),
	border: (theme) => new DynamicBorder((line) => theme.fg("border", line)),
	"box with grounds in it": (theme, { label, text }) => {
		const box = new Box(2, 1, (row) => theme.bg("toolPendingBg", row));
		box.addChild(new Text(`${theme.bg("selectedBg", label)} ${label}`, 0, 0));
		box.addChild(new Text(text, 0, 0));
		return box;
	},
	"rows with room between": (_, { label, text }) =>
		new VStack([new Text(label, 0, 0), new Spacer(2), new Text(text, 0, 0)], 1),
	"columns by share": (theme, { label, text }) =>
		new HStack(
			[
				{ component: new Text(theme.fg("accent", label), 0, 0), share: 1 },
				{ component: new Text(text, 0, 0), share: 2 },
			],
			{ gap: 2, narrow: 24 },
		),
	"columns of cells": (theme, { label, text }) =>
		new HStack([
			{ component: new Text(label, 0, 0, (row) => theme.bg("selectedBg", row)), cells: 12 },
			{ component: new Text(text, 0, 0), cells: 20 },
		]),
	"children one below the other": (_, { label, text }) => {
		const container = new Container();
		container.addChild(new Text(label, 1, 0));
		container.addChild(new Text(text, 1, 0));
		return container;
	},
};

const waiting: Record<string, Specimen> = {
	loader: (theme, { text }) =>
		new Loader(
			screen,
			(sign) => theme.fg("accent", sign),
			(message) => theme.fg("muted", message),
			text,
		),
	"loader with signs of its own": (theme, { label }) =>
		new Loader(screen, String, (message) => theme.fg("muted", message), label, {
			frames: [theme.fg("warning", "●")],
		}),
	"loader that can be cancelled": (theme, { label }) =>
		new CancellableLoader(screen, (sign) => theme.fg("accent", sign), String, label),
	"loader between lines": (theme, { label }) => new BorderedLoader(screen, theme, label),
	"loader that goes on": (theme, { label }) =>
		new BorderedLoader(screen, theme, label, { cancellable: false }),
	progress: (theme, { label, meaning }) => new ProgressBar(theme, { label, share: 0.37, note: meaning }),
	"progress at its end": (theme) => new ProgressBar(theme, { share: 1 }),
	sparkline: (theme, { label, meaning }) =>
		new Sparkline(theme, { label, values: [1, 3, 2, 8, 5, 0, 9, 4, 6, 7], note: meaning }),
};

const lists: Record<string, Specimen> = {
	"select list": (theme, words) =>
		pressed(new SelectList(options(words, 4), 5, selectListTheme(theme)), "down", "down"),
	"long select list": (theme, words) =>
		pressed(new SelectList(options(words, 30), 5, selectListTheme(theme)), "pageDown", "pageDown"),
	"select list without a match": (theme, words) => {
		const list = new SelectList(options(words, 3), 5, selectListTheme(theme));
		list.setFilter("nothing is called this way");
		return list;
	},
	"multiple choice": (theme, words) =>
		pressed(new MultiSelectList(options(words, 4), 5, selectListTheme(theme)), "down", " "),
	"multiple choice with a search": (theme, words) =>
		focused(
			typed(new MultiSelectList(options(words, 12), 3, selectListTheme(theme), { enableSearch: true }), "1"),
		),
	settings: (theme, words) =>
		pressed(new SettingsList(settings(words, 3), 5, settingsListTheme(theme), ignored, ignored), "down"),
	"long settings with a search": (theme, words) =>
		focused(
			typed(
				new SettingsList(settings(words, 15), 3, settingsListTheme(theme), ignored, ignored, {
					enableSearch: true,
				}),
				"1",
			),
		),
	"settings with a submenu": (theme, words) => {
		const [first] = settings(words, 1);
		const submenu = (): Component => new SelectList(options(words, 2), 5, selectListTheme(theme));
		const item = { id: "open", label: words.label, currentValue: first?.currentValue ?? "", submenu };
		return pressed(new SettingsList([item], 5, settingsListTheme(theme), ignored, ignored), "enter");
	},
	tree: (theme, words) => pressed(new TreeList(tree(words), 12, theme), "down", "down"),
	"tree that is folded": (theme, words) => new TreeList(tree(words), 5, theme, { folded: ["aa", "b"] }),
	"tree with a search": (theme, words) =>
		focused(typed(new TreeList(tree(words), 12, theme, { enableSearch: true }), "aba")),
	"tree of a conversation": (theme, words) => {
		const list = new TreeList(chain(words), 12, theme, { flatChains: true });
		list.select("4a");
		return list;
	},
	"very deep tree": (theme, words) => pressed(new TreeList(deep(words, 60), 6, theme), "end"),
};

const frames: Record<string, Specimen> = {
	tabs: (theme, { label }) => tabsOf(theme, label, 3),
	"many tabs": (theme, { label }) => pressed(tabsOf(theme, label, 15), "right", "right", "right", "right"),
	"key hints": (theme, { meaning }) =>
		new HintLine(theme, () => [
			keyHint(theme, "tui.select.confirm", "take"),
			keyPairHint(theme, ["tui.select.up", "tui.select.down"], "move"),
			rawKeyHint(theme, "alt+left", meaning),
		]),
	"status line": (theme, { label, meaning }) =>
		new StatusLine(theme, () => ({
			left: [{ text: label, priority: 3 }, { text: theme.fg("accent", meaning) }],
			right: [{ text: "42%", priority: 5 }, { text: "$0.12" }],
		})),
	"scroll view": (theme, words) => {
		const view = scrolled(theme, words, false);
		view.render(40);
		return pressed(view, "pageDown");
	},
	"scroll view at its end": (theme, words) => scrolled(theme, words, true),
	panel: (theme, { label, text }) =>
		new Panel(new Text(text, 0, 0), theme, {
			title: label,
			hints: () => [keyHint(theme, "tui.select.cancel", "close"), rawKeyHint(theme, "tab", label)],
		}),
	"panel without words": (theme, { text }) => new Panel(new Text(text, 0, 0), theme, { border: "success" }),
	confirm: (theme, { label, text }) => new Confirm(theme, { title: label, question: text }),
	"dangerous confirm": (theme, { label, meaning, text }) =>
		new Confirm(theme, {
			title: label,
			question: meaning,
			detail: `${text}\n`.repeat(8),
			yes: label,
			isDangerous: true,
		}),
	"component that fails": (theme, { label, meaning }) =>
		guarded(failing(meaning), { name: label, theme, onFailure: ignored }),
	"component that works, guarded": (theme, { label, text }) =>
		guarded(new Text(text), { name: label, theme, onFailure: ignored }),
	input: (_, { label }) => {
		const input = focused(new Input());
		input.setValue(label);
		return input;
	},
	editor: (theme, { text }) => {
		const editor = new Editor(screen, editorTheme(theme));
		editor.setText(text);
		return focused(editor);
	},
};

const documents: Record<string, Specimen> = {
	markdown: (theme, { label, meaning, text }) =>
		new Markdown(
			`# ${label}\n\n${text}\n\n- **${label}**: ${meaning}\n  1. \`${label}\`\n\n> ${text}\n\n| ${label} | ${meaning} |\n| --- | ---: |\n| ${meaning} | 1 |\n\n\`\`\`\n${text}\n\`\`\`\n`,
			1,
			0,
			markdownTheme(theme),
		),
	diff: (theme, { label, meaning, text }) =>
		new DiffView({ before: `${label}\n${text}\nlast`, after: `${label}\n${meaning}\n${text}!\nlast` }, theme),
};

export const specimens: Readonly<Record<string, Specimen>> = {
	...plain,
	...waiting,
	...lists,
	...frames,
	...documents,
};

/** The rows of a specimen; its timers are stopped. */
export function drawn(make: Specimen, theme: Theme, words: Words, widths: readonly number[]): string[][] {
	const component: Component & { dispose?(): void; stop?(): void } = make(theme, words);
	try {
		return widths.map((width) => component.render(width));
	} finally {
		component.dispose?.();
		component.stop?.();
	}
}

function tabsOf(theme: Theme, label: string, count: number): Tabs {
	const tabs = Array.from({ length: count }, (_, at) => ({ id: `${at}`, label: `${label} ${at + 1}` }));
	return new Tabs(tabs, theme);
}

function failing(reason: string): Component {
	return {
		render: () => {
			throw new Error(reason);
		},
		invalidate: ignored,
	};
}

function ignored(): void {}
