/** Pages with lists, trees and settings. */
import {
	HStack,
	MultiSelectList,
	Panel,
	SelectList,
	selectListTheme,
	SettingsList,
	settingsListTheme,
	Text,
	TreeList,
	type TreeNode,
} from "@tau/tui";

import { column, exhibit, type Page } from "./gallery-context.ts";

const commands = [
	["compact", "Make room: summarize the conversation so far"],
	["diff", "What was changed in this session"],
	["export", "Write the conversation to a file"],
	["fork", "Go on from here in a session of its own"],
	["login", "Give Tau a key"],
	["model", "Choose who answers"],
	["new", "Start again with an empty page"],
	["resume", "Go on with an older session"],
	["theme", "Choose the colors"],
	["tree", "All messages, and where the conversation branched"],
] as const;

const items = commands.map(([value, description]) => ({ value, label: `/${value}`, description }));

export const selectPage: Page = {
	id: "select",
	label: "Select",
	open({ theme }) {
		const list = new SelectList(items, 6, selectListTheme(theme));
		const status = new Text(theme.fg("dim", "Nothing taken yet."), 0, 0);
		list.onSelect = ({ label }) => status.setText(`Taken: ${theme.fg("success", label)}`);
		const none = new SelectList(items, 6, selectListTheme(theme));
		none.setFilter("there is no such thing");
		return {
			body: column(
				exhibit(theme, "SelectList: ↑↓, page keys, enter", list),
				status,
				exhibit(theme, "SelectList without a match", none),
			),
			target: list,
		};
	},
};

export const multiPage: Page = {
	id: "multi",
	label: "Several",
	open({ theme }) {
		const tools = ["read", "write", "edit", "bash", "grep", "find", "todo", "fetch", "ask", "task"];
		const list = new MultiSelectList(
			tools.map((value, at) => ({ value, label: value, isChosen: at < 4 })),
			6,
			selectListTheme(theme),
			{ enableSearch: true },
		);
		const status = new Text("", 0, 0);
		list.onConfirm = (values) => status.setText(`Chosen: ${theme.fg("success", values.join(", "))}`);
		return {
			body: column(exhibit(theme, "MultiSelectList: type to search, space, ctrl+a, enter", list), status),
			target: list,
			takes: "text",
		};
	},
};

const files: TreeNode[] = [
	{
		id: "packages",
		label: "packages",
		note: "9 folders",
		children: [
			{
				id: "tui",
				label: "tui",
				children: [
					{ id: "components", label: "components", note: "24 files", color: "success" },
					{ id: "editor", label: "editor", children: [{ id: "vim", label: "vim" }] },
					{ id: "engine", label: "engine" },
				],
			},
			{
				id: "sys",
				label: "sys",
				children: [
					{ id: "shell", label: "shell" },
					{ id: "width", label: "text" },
				],
			},
		],
	},
	{ id: "docs", label: "docs", children: [{ id: "terminal", label: "terminal.md" }] },
	{ id: "readme", label: "README.md" },
];

const talk: TreeNode[] = [
	{
		id: "1",
		label: "Why does the test fail?",
		color: "accent",
		children: [
			{
				id: "2",
				label: "It expects the old name.",
				children: [
					{
						id: "3a",
						label: "Rename it back.",
						color: "accent",
						children: [{ id: "4a", label: "Done.", note: "2 files" }],
					},
					{
						id: "3b",
						label: "Change the test.",
						color: "accent",
						children: [
							{ id: "4b", label: "Done.", note: "1 file", children: [{ id: "5b", label: "Thanks!" }] },
						],
					},
				],
			},
		],
	},
];

export const treePage: Page = {
	id: "tree",
	label: "Tree",
	open({ theme }) {
		const tree = new TreeList(files, 14, theme, { folded: ["sys"] });
		const chain = new TreeList(talk, 14, theme, { flatChains: true });
		chain.select("4b");
		const columns = [
			{ component: exhibit(theme, "TreeList: ↑↓ move, ←→ fold", tree) },
			{ component: exhibit(theme, "A conversation: only where it parts is it indented", chain) },
		];
		return { body: new HStack(columns, { gap: 2, narrow: 60 }), target: tree, takes: "arrows" };
	},
};

export const settingsPage: Page = {
	id: "settings",
	label: "Settings",
	open({ theme }) {
		const status = new Text(theme.fg("dim", "Nothing changed yet."), 0, 0);
		const list = new SettingsList(
			[
				{
					id: "thinking",
					label: "Thinking",
					description: "How long the model may think before it answers.",
					currentValue: "medium",
					values: ["off", "low", "medium", "high"],
				},
				{
					id: "bell",
					label: "Bell when a turn ends",
					description: "Only when the terminal is not in front.",
					currentValue: "on",
					values: ["on", "off"],
				},
				{
					id: "command",
					label: "First command",
					description: "Opens a list.",
					currentValue: "/new",
					submenu: (_, done) => {
						const submenu = new SelectList(items, 8, selectListTheme(theme));
						submenu.onSelect = ({ label }) => done(label);
						submenu.onCancel = () => done();
						return submenu;
					},
				},
			],
			8,
			settingsListTheme(theme),
			(id, value) => status.setText(`${id} = ${theme.fg("success", value)}`),
			() => status.setText(theme.fg("dim", "Closed.")),
		);
		const panel = new Panel(list, theme, { title: "Settings", border: "borderAccent" });
		return { body: column(panel, status), target: panel };
	},
};
