/** Pages with fields, documents, scrolling and dialogs. */
import {
	CombinedAutocompleteProvider,
	Confirm,
	DiffView,
	Editor,
	editorTheme,
	Input,
	keyHint,
	keyPairHint,
	Markdown,
	markdownTheme,
	Panel,
	rawKeyHint,
	ScrollView,
	Text,
	type Component,
} from "@tau/tui";

import { column, exhibit, type Page } from "./gallery-context.ts";

const markdown = `# Markdown

A paragraph with **bold**, *italic*, \`code\`, ~~nothing~~ and [a link](https://example.org).

1. Lists
   - in lists
   - [x] and tasks

> What somebody else has said.

| table | width |
| --- | ---: |
| fits | the screen |

\`\`\`ts
const answer: number = 6 * 7; // highlighted
\`\`\`
`;

export const markdownPage: Page = {
	id: "markdown",
	label: "Markdown",
	open: ({ theme }) => ({ body: new Markdown(markdown, 0, 0, markdownTheme(theme)) }),
};

const before = `export function greet(name: string) {
	const words = "Hello, " + name;
	return words;
}
`;
const after = `/** Says hello. */
export function greet(name: string, mark = "!"): string {
	return "Hello, " + name + mark;
}
`;

export const diffPage: Page = {
	id: "diff",
	label: "Diff",
	open: ({ theme }) => ({
		body: column(
			exhibit(
				theme,
				"DiffView: side by side where there is room",
				new DiffView({ before, after }, theme, { sideBySideFrom: 70 }),
			),
			exhibit(
				theme,
				"DiffView, one below the other",
				new DiffView({ before, after }, theme, { sideBySideFrom: Number.POSITIVE_INFINITY }),
			),
		),
	}),
};

export const editorPage: Page = {
	id: "editor",
	label: "Editor",
	open({ theme, ui }) {
		const editor = new Editor(ui, editorTheme(theme));
		const commands = [
			{ name: "model", description: "Choose who answers" },
			{ name: "memory", description: "What is remembered of this project" },
		];
		editor.setAutocompleteProvider(new CombinedAutocompleteProvider(commands, process.cwd()));
		editor.setText(
			"Several lines, soft wrap, undo, cuts and history.\nEnter sends this; then type / for commands.",
		);
		const status = new Text(theme.fg("dim", "Nothing sent yet."), 0, 0);
		editor.onSubmit = (text) => {
			status.setText(`Sent: ${theme.fg("success", text)}`);
			editor.addToHistory(text);
			editor.setText("");
		};
		const input = new Input();
		input.setValue("One line that scrolls sideways");
		return {
			body: column(exhibit(theme, "Editor", editor), status, exhibit(theme, "Input", input)),
			target: editor,
			takes: "text",
			close: () => editor[Symbol.dispose](),
		};
	},
};

export const scrollPage: Page = {
	id: "scroll",
	label: "Scroll",
	open({ theme, ui }) {
		const rows: Component & { rowCount(): number; rows(width: number, from: number, to: number): string[] } =
			{
				rowCount: () => 100_000,
				rows: (_, from, to) =>
					Array.from(
						{ length: to - from },
						(__, at) => `${theme.fg("dim", `${from + at + 1}`.padStart(6))}  a row`,
					),
				render: () => [],
				invalidate: () => {},
			};
		const view = new ScrollView(rows, theme, { height: () => Math.max(3, ui.terminal.rows - 9) });
		const panel = new Panel(view, theme, {
			title: "ScrollView: 100,000 rows, drawn where they are seen",
			hints: () => [
				keyPairHint(theme, ["tui.select.up", "tui.select.down"], "scroll"),
				keyPairHint(theme, ["tui.select.pageUp", "tui.select.pageDown"], "page"),
				rawKeyHint(theme, "home/end", "ends"),
			],
		});
		return { body: panel, target: panel };
	},
};

export const dialogPage: Page = {
	id: "dialogs",
	label: "Dialogs",
	open({ theme, showOverlay }) {
		const status = new Text(theme.fg("dim", "No answer yet."), 0, 0);
		const emit = (answer: boolean | undefined): void =>
			status.setText(`Answer: ${theme.fg("success", answer === undefined ? "none" : answer ? "yes" : "no")}`);
		const simple = new Confirm(theme, { title: "Confirm", question: "Trust the project in ~/tau?" });
		simple.onAnswer = emit;
		const dangerous = (): Confirm =>
			new Confirm(theme, {
				title: "Delete",
				question: "Delete these files? They are not in git.",
				detail: Array.from({ length: 30 }, (_, at) => `build/part-${at + 1}.tmp`).join("\n"),
				yes: "Delete",
				no: "Keep",
				isDangerous: true,
			});
		const open = (): void => {
			const confirm = dangerous();
			const overlay = showOverlay(confirm, { width: "70%", minWidth: 30, margin: 1 });
			confirm.onAnswer = (answer) => {
				overlay?.hide();
				emit(answer);
			};
		};
		const about = new Text(
			`A panel has a title in its frame and hints below. Press ${theme.fg("accent", "o")} for one that lies over the page.`,
			0,
			0,
		);
		const panel = new Panel(about, theme, {
			title: "Panel",
			hints: () => [rawKeyHint(theme, "o", "overlay"), keyHint(theme, "tui.select.cancel", "close")],
		});
		const target: Component = {
			render: () => [],
			invalidate: () => {},
			handleInput: (data) => (data === "o" ? open() : simple.handleInput(data)),
		};
		return { body: column(simple, panel, status), target, takes: "arrows" };
	},
};
